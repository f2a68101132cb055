package io.korpse.flink.source.reader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices splits that watermark alignment holds back suspiciously long. Thread-safe: the task
 * thread tells what is held, and another one looks, since nothing need happen on the task thread
 * any more.
 *
 * <p>Up to 2.3.0, Flink leaves out idle splits when it looks whether splits may go on, so that one
 * that turns idle while it is held is held for ever (FLINK-40093). The source sees neither the
 * watermarks nor the idleness, and a split that is really ahead looks the same; so it only warns.
 */
final class AlignmentWatch implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(AlignmentWatch.class);

  static final Duration LONG = Duration.ofMinutes(5);

  private final Map<String, Long> heldSince = new HashMap<>();
  private final Set<String> warned = new HashSet<>();
  private final LongSupplier nanos;

  AlignmentWatch(LongSupplier nanos) {
    this.nanos = nanos;
  }

  synchronized void pausedOrResumed(Collection<String> paused, Collection<String> resumed) {
    paused.forEach(split -> heldSince.putIfAbsent(split, nanos.getAsLong()));
    resumed.forEach(this::forget);
  }

  synchronized void forget(String split) {
    heldSince.remove(split);
    warned.remove(split);
  }

  /** Says it. */
  @Override
  public void run() {
    warnings().forEach(LOG::warn);
  }

  /** What there is to say about splits that are held for long, once for each hold. */
  synchronized List<String> warnings() {
    if (heldSince.isEmpty()) {
      return List.of();
    }
    long now = nanos.getAsLong();
    List<String> warnings = new ArrayList<>();
    heldSince.forEach(
        (split, since) -> {
          if (now - since >= LONG.toNanos() && warned.add(split)) {
            warnings.add(
                "Watermark alignment has held back "
                    + split
                    + " for more than "
                    + LONG.toMinutes()
                    + " minutes. If the other splits have caught up with it, this is FLINK-40093"
                    + " (Flink up to 2.3.0): leave withIdleness out where there is alignment, and"
                    + " restart the job");
          }
        });
    return warnings;
  }
}

package io.korpse.flink.source.reader.proxy;

import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Takes what a poll returned into the buffers: leaves out what was withheld or lies beyond a
 * split's end, and moves positions also where no record came. Confined to the fetcher thread.
 */
final class Intake {

  /** Told of each split that a poll names. */
  interface Arrivals {
    void arrived(SplitBuffer split, int count, long bytes);

    /** Only the known end of the split may have changed. */
    void unmoved(SplitBuffer split);
  }

  private final ProxyConsumer consumer;
  private final PollQuota quota;
  private final PollSize pollSize;
  @Nullable private final UnaryOperator<ConsumerRecord<byte[], byte[]>> hook;
  private final ProxyLimits limits;
  private final ProxyStats stats;
  private final Holdings holdings;
  private final Consumer<SplitBuffer> replaced;

  private int kept;
  private int withheld;
  private boolean more;
  private boolean whole;

  /**
   * An intake that has taken nothing yet.
   *
   * @param replaced told of a split of which a poll brought records that may be of another log;
   *     they are left out, to be fetched again if they are not
   */
  Intake(
      ProxyConsumer consumer,
      PollQuota quota,
      PollSize pollSize,
      @Nullable UnaryOperator<ConsumerRecord<byte[], byte[]>> hook,
      ProxyLimits limits,
      ProxyStats stats,
      Holdings holdings,
      Consumer<SplitBuffer> replaced) {
    this.consumer = consumer;
    this.quota = quota;
    this.pollSize = pollSize;
    this.hook = hook;
    this.limits = limits;
    this.stats = stats;
    this.holdings = holdings;
    this.replaced = replaced;
  }

  /** A poll starts that may bring so many bytes. */
  void begin(long bytes) {
    quota.begin(bytes);
    whole = bytes >= limits.pollBytes();
    kept = 0;
    withheld = 0;
    more = false;
  }

  /** Records that the last poll brought, those included that the hook dropped. */
  int kept() {
    return kept;
  }

  /** Whether the client holds more that it can give without a fetch. */
  boolean more() {
    return more;
  }

  void take(ConsumerRecords<byte[], byte[]> polled, Arrivals arrivals) {
    Map<TopicPartition, OffsetAndMetadata> next = polled.nextOffsets();
    long bytes = 0;
    for (TopicPartition partition : polled.partitions()) {
      bytes += take(partition, polled, arrivals);
    }
    if (next.size() > polled.partitions().size()) {
      for (TopicPartition partition : withoutRecords(polled)) {
        bytes += take(partition, polled, arrivals);
      }
    }
    more = withheld > 0 || polled.count() >= pollSize.count() || consumer.heldBack();
    consumer.polled(!more);
    stats.polled(kept, bytes);
    if (withheld > 0) {
      stats.withheld(withheld);
    }
    holdings.publish();
  }

  /**
   * The partitions of which a poll brought only a position, in an order that follows from the poll
   * alone: the map of positions has another one in each JVM.
   */
  private static List<TopicPartition> withoutRecords(ConsumerRecords<byte[], byte[]> polled) {
    List<TopicPartition> moved = new ArrayList<>(polled.nextOffsets().keySet());
    moved.removeAll(polled.partitions());
    moved.sort(
        Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition));
    return moved;
  }

  private long take(
      TopicPartition partition, ConsumerRecords<byte[], byte[]> polled, Arrivals arrivals) {
    SplitBuffer split = consumer.split(partition);
    if (split == null || split.fetchFinished()) {
      return 0;
    }
    consumer.gave(split);
    OffsetAndMetadata next = polled.nextOffsets().get(partition);
    if (mayBeOfAnotherLog(split, next)) {
      replaced.accept(split);
      return 0;
    }
    return take(split, polled.records(partition), next, arrivals);
  }

  /** Replaces the consumer when its {@code max.poll.records} does not fit what the poll brought. */
  void fitPollSize(long nowNanos, Duration closeTimeout) {
    // A poll that was given less than its share says little about the size of records.
    if (whole && pollSize.review(kept, withheld, quota.used(), limits.pollBytes(), nowNanos)) {
      consumer.rebuild(pollSize.count(), closeTimeout);
    }
  }

  private long take(
      SplitBuffer split,
      List<ConsumerRecord<byte[], byte[]>> polled,
      OffsetAndMetadata next,
      Arrivals arrivals) {
    List<ConsumerRecord<byte[], byte[]>> records = polled;
    long nextOffset = next.offset();
    int nextEpoch = next.leaderEpoch().orElse(Position.NO_EPOCH);
    observeEnd(split, nextOffset);
    if (nextOffset > split.stopOffset()) {
      // First of all: what nobody wants must not count as what there was no room for.
      records = upTo(records, split.stopOffset());
      nextOffset = split.stopOffset();
    }
    int usable = quota.exceeded() ? firstWithheld(records) : records.size();
    boolean cut = usable < records.size();
    if (cut) {
      withheld += records.size() - usable;
      ConsumerRecord<byte[], byte[]> again = records.get(usable);
      nextOffset = again.offset();
      nextEpoch = again.leaderEpoch().orElse(Position.NO_EPOCH);
      records = List.copyOf(records.subList(0, usable));
    }
    if (records.isEmpty() && nextOffset <= split.fetchOffset()) {
      // Named since its end is news, or since nothing of it fitted: it did not move.
      if (cut) {
        consumer.seekBack(split);
      }
      arrivals.unmoved(split);
      return 0;
    }
    kept += records.size();
    if (hook != null) {
      records = hooked(records);
    }
    long bytes = split.append(records, nextOffset, nextEpoch);
    if (cut) {
      consumer.seekBack(split);
    }
    holdings.arrived(records.size(), bytes);
    arrivals.arrived(split, records.size(), bytes);
    return bytes;
  }

  private List<ConsumerRecord<byte[], byte[]>> hooked(List<ConsumerRecord<byte[], byte[]>> polled) {
    List<ConsumerRecord<byte[], byte[]>> mapped = new ArrayList<>(polled.size());
    for (ConsumerRecord<byte[], byte[]> record : polled) {
      ConsumerRecord<byte[], byte[]> kept = hook.apply(record);
      if (kept != null) {
        mapped.add(kept);
      }
    }
    return mapped;
  }

  private static boolean mayBeOfAnotherLog(SplitBuffer split, OffsetAndMetadata next) {
    int epoch = next.leaderEpoch().orElse(Position.NO_EPOCH);
    return epoch != Position.NO_EPOCH && epoch < split.fetchEpoch();
  }

  private void observeEnd(SplitBuffer split, long position) {
    OptionalLong lag = consumer.currentLag(split.partition());
    if (lag.isPresent()) {
      long end = position + lag.getAsLong();
      split.observeEnd(end);
      split.endListener().endsAt(end);
    }
  }

  private static int firstWithheld(List<ConsumerRecord<byte[], byte[]>> polled) {
    for (int i = 0; i < polled.size(); i++) {
      ConsumerRecord<byte[], byte[]> record = polled.get(i);
      if (record.value() == PollQuota.WITHHELD || record.key() == PollQuota.WITHHELD) {
        return i;
      }
    }
    return polled.size();
  }

  private static List<ConsumerRecord<byte[], byte[]>> upTo(
      List<ConsumerRecord<byte[], byte[]>> polled, long stopOffset) {
    int size = polled.size();
    while (size > 0 && polled.get(size - 1).offset() >= stopOffset) {
      size--;
    }
    return List.copyOf(polled.subList(0, size));
  }
}

package io.korpse.offsets.lag;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once when the end of partitions is no longer seen, as when the disk of their broker has
 * failed, and once when it is seen again. Confined to the tracker's thread.
 */
final class StaleLog {

  private static final Logger LOG = LoggerFactory.getLogger(StaleLog.class);

  private static final int NAMED = 10;

  private Map<TopicPartition, PartitionLag> stale = Map.of();

  /** Compares with the call before. */
  void update(Collection<PartitionLag> partitions) {
    Map<TopicPartition, PartitionLag> now = new HashMap<>();
    for (PartitionLag lag : partitions) {
      if (lag.isStale()) {
        now.put(lag.partition(), lag);
      }
    }
    List<PartitionLag> gone =
        now.values().stream().filter(lag -> !stale.containsKey(lag.partition())).toList();
    if (!gone.isEmpty()) {
      LOG.warn(
          "The log ends of {} partitions cannot be seen, and their lag is unknown until they can:"
              + " {}; the last error: {}",
          gone.size(),
          names(gone),
          String.valueOf(gone.get(0).endFailure));
    }
    List<PartitionLag> back =
        partitions.stream()
            .filter(lag -> stale.containsKey(lag.partition()) && !lag.isStale())
            .toList();
    if (!back.isEmpty()) {
      LOG.info("The log ends of {} partitions are seen again: {}", back.size(), names(back));
    }
    stale = now;
  }

  private static String names(List<PartitionLag> lags) {
    String some =
        String.join(
            ", ", lags.stream().limit(NAMED).map(lag -> lag.partition().toString()).toList());
    return lags.size() > NAMED ? some + " and others" : some;
  }
}

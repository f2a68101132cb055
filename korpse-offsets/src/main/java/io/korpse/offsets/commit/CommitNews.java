package io.korpse.offsets.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What changed for single partitions with one answer, told in one log line per kind however many
 * partitions it is about. Confined to the committer's thread.
 */
final class CommitNews {

  private static final Logger LOG = LoggerFactory.getLogger(CommitNews.class);
  private static final int NAMED = 10;

  private final String groupId;
  private final Map<String, List<TopicPartition>> refused = new TreeMap<>();
  private final Map<CommitMetadata.Detail, List<TopicPartition>> trimmed = new TreeMap<>();
  private final List<TopicPartition> acceptedAgain = new ArrayList<>();

  CommitNews(String groupId) {
    this.groupId = groupId;
  }

  void refused(TopicPartition partition, String why) {
    refused.computeIfAbsent(why, key -> new ArrayList<>()).add(partition);
  }

  void trimmed(TopicPartition partition, CommitMetadata.Detail detail) {
    trimmed.computeIfAbsent(detail, key -> new ArrayList<>()).add(partition);
  }

  void acceptedAgain(TopicPartition partition) {
    acceptedAgain.add(partition);
  }

  /** Writes what was gathered and forgets it. */
  void write() {
    refused.forEach(
        (why, partitions) ->
            LOG.warn(
                "Commits to group {} are refused for {} ({}); the other partitions go on",
                groupId,
                names(partitions),
                why));
    refused.clear();
    trimmed.forEach(
        (detail, partitions) ->
            LOG.warn(
                "Metadata in group {} is longer than the broker's offset.metadata.max.bytes"
                    + " allows; only {} of it is sent for {}",
                groupId,
                detail,
                names(partitions)));
    trimmed.clear();
    if (!acceptedAgain.isEmpty()) {
      LOG.info("Commits to group {} are accepted again for {}", groupId, names(acceptedAgain));
      acceptedAgain.clear();
    }
  }

  private static String names(List<TopicPartition> partitions) {
    return partitions.size() <= NAMED
        ? partitions.toString()
        : partitions.subList(0, NAMED) + " and " + (partitions.size() - NAMED) + " more";
  }
}

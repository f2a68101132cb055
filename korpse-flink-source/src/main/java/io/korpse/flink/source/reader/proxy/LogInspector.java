package io.korpse.flink.source.reader.proxy;

import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Asks the broker about the logs of splits that were just added. */
@FunctionalInterface
public interface LogInspector {

  /** Asks nobody: ends and epochs stay unknown until records come. */
  LogInspector NONE = (partitions, answers) -> {};

  /**
   * The end of a log.
   *
   * @param offset the last stable offset when reading committed, else the high watermark; -1 when
   *     the broker does not tell
   * @param leaderEpoch the partition's current leader epoch, -1 when the broker does not tell
   * @param isOfAnotherTopic whether the topic was created again since the split was read
   */
  record LogEnd(long offset, int leaderEpoch, boolean isOfAnotherTopic) {

    /** The broker did not tell. */
    public static final LogEnd UNKNOWN = new LogEnd(-1, -1);

    /** The end of a log that is not known to be another one. */
    public LogEnd(long offset, int leaderEpoch) {
      this(offset, leaderEpoch, false);
    }
  }

  /**
   * Called on the fetcher thread; must not block. One request for all partitions, and one for their
   * topics.
   *
   * @param answers is given each of the partitions once, some at a time, on any thread
   */
  void inspect(
      Collection<TopicPartition> partitions, Consumer<Map<TopicPartition, LogEnd>> answers);
}

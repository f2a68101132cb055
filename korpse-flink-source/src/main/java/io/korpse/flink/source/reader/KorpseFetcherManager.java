package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.SplitWishes;
import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.SourceReaderOptions;
import org.apache.flink.connector.base.source.reader.fetcher.SingleThreadFetcherManager;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * One fetcher thread, whose queue takes all batches that credit allows, so that putting one never
 * blocks. Keeps splits apart that wait for the enumerator: those without offsets, and those that
 * are not subscribed to any more.
 */
class KorpseFetcherManager
    extends SingleThreadFetcherManager<ConsumerRecord<byte[], byte[]>, KorpseSplit> {

  /** Room for empty batches of wake-ups, one for each set of splits that is added. */
  private static final int QUEUE_MARGIN = 64;

  private final SplitWishes control;
  private final SplitStates states;
  private final Predicate<TopicPartition> wanted;
  private final Set<String> apart = new HashSet<>();

  KorpseFetcherManager(
      Supplier<SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit>> readers,
      Configuration configuration,
      int batches,
      SplitWishes control,
      SplitStates states,
      Predicate<TopicPartition> wanted) {
    super(readers, sized(configuration, batches));
    this.control = control;
    this.states = states;
    this.wanted = wanted;
  }

  private static Configuration sized(Configuration configuration, int batches) {
    Configuration sized = new Configuration(configuration);
    sized.set(SourceReaderOptions.ELEMENT_QUEUE_CAPACITY, batches + QUEUE_MARGIN);
    return sized;
  }

  @Override
  public void addSplits(List<KorpseSplit> splits) {
    List<KorpseSplit> readable = new ArrayList<>(splits.size());
    for (KorpseSplit split : splits) {
      if (split.unresolved().isPresent() || !wanted.test(split.partition())) {
        apart.add(split.splitId());
      } else {
        readable.add(split);
      }
    }
    if (!readable.isEmpty()) {
      fetch(readable);
    }
  }

  /** Whether the split is kept apart; from now on it is not. */
  boolean takeApart(String splitId) {
    return apart.remove(splitId);
  }

  /** Lets in what a split that was kept apart has become. */
  void letIn(KorpseSplit split) {
    fetch(List.of(split));
  }

  /** Gives splits to a fetcher. */
  void fetch(List<KorpseSplit> splits) {
    super.addSplits(splits);
  }

  /**
   * Flink calls this for the split of a record that ends it, while that record is emitted.
   *
   * <p>Flink's own way empties the fetcher before the split can be reported as finished, when it is
   * the last one; so the proxy is asked instead.
   */
  @Override
  public void removeSplits(List<KorpseSplit> splits) {
    for (KorpseSplit split : splits) {
      states.get(split.splitId()).endAtCurrent();
      control.finish(split.splitId());
    }
  }

  @Override
  public boolean maybeShutdownFinishedFetchers() {
    return super.maybeShutdownFinishedFetchers() && apart.isEmpty();
  }
}

package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The one Kafka consumer of a proxy, with what it is assigned, and the means to replace it.
 *
 * <p>Bounds what the client itself retains: a paused split keeps what was fetched for it, and each
 * such rest can pin the whole response that it came in. When there are more {@linkplain PausedRests
 * groups} of them than allowed, the rests of the oldest are dropped by taking their splits out of
 * the assignment and in again.
 *
 * <p>Created, used and closed on the fetcher thread.
 */
final class ProxyConsumer {

  /** Ended splits are unassigned when they are this part of the assignment. */
  private static final int ENDED_SHARE = 16;

  /** So many splits for each that has ended make it wait, while records flow. */
  private static final int ENDED_SHARE_WHILE_WAITING = 256;

  private final ConsumerFactory factory;
  private final PollQuota quota;
  private final PauseLedger ledger;
  private final int maxGroups;
  private final ProxyStats stats;
  private final Map<TopicPartition, SplitBuffer> assigned = new LinkedHashMap<>();
  private final PausedRests rests = new PausedRests();
  private final FetchAhead ahead;

  /**
   * Splits that are read to the end of their log and still assigned. An assignment costs as much as
   * there are splits, so ending each on its own would cost the square of that.
   */
  private final Set<SplitBuffer> ended = new LinkedHashSet<>();

  private Consumer<byte[], byte[]> consumer;

  /** Whether the last poll could not give all that the client holds for open splits. */
  private boolean heldBack;

  ProxyConsumer(
      ConsumerFactory factory,
      PollQuota quota,
      PauseLedger ledger,
      FetchAhead ahead,
      int maxGroups,
      ProxyStats stats) {
    this.factory = factory;
    this.quota = quota;
    this.ledger = ledger;
    this.ahead = ahead;
    this.maxGroups = maxGroups;
    this.stats = stats;
  }

  private void open(int maxPollRecords) {
    consumer =
        factory.create(
            Map.of(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPollRecords),
            quota.keys(),
            quota.values());
  }

  Consumer<byte[], byte[]> get() {
    return consumer;
  }

  SplitBuffer split(TopicPartition partition) {
    return assigned.get(partition);
  }

  /** What is assigned. */
  Map<TopicPartition, SplitBuffer> splits() {
    return assigned;
  }

  boolean hasSplits() {
    return splitCount() > 0;
  }

  /** Splits that are not at their end. */
  int splitCount() {
    return assigned.size() - ended.size();
  }

  void add(List<SplitBuffer> splits, int maxPollRecords) {
    if (consumer == null) {
      open(maxPollRecords);
    }
    unassignEnded();
    for (SplitBuffer split : splits) {
      assigned.put(split.partition(), split);
    }
    consumer.assign(assigned.keySet());
    splits.forEach(this::startAt);
  }

  /**
   * Ends the fetching of a split: together with others when there is nothing more of it to fetch,
   * else now, since what the client holds of a paused split, or of one whose log goes on, pins a
   * response.
   */
  void end(SplitBuffer split) {
    rests.dropped(split);
    ahead.dropped(split);
    ended.add(split);
    boolean hasMore = split.end() < 0 || split.end() > split.fetchOffset();
    if (hasMore
        || split.pause.isPausedInConsumer()
        || ended.size() * ENDED_SHARE >= assigned.size()) {
      unassignEnded();
    }
  }

  /** Whether enough has ended to be unassigned before a wait that records may end at once. */
  boolean hasManyEnded() {
    return ended.size() * ENDED_SHARE_WHILE_WAITING >= assigned.size();
  }

  /** Unassigns what has ended. */
  void unassignEnded() {
    if (!ended.isEmpty()) {
      ended.forEach(split -> assigned.remove(split.partition()));
      ended.clear();
      consumer.assign(assigned.keySet());
    }
  }

  private void remove(Collection<SplitBuffer> splits) {
    for (SplitBuffer split : splits) {
      assigned.remove(split.partition());
      rests.dropped(split);
      ahead.dropped(split);
    }
    consumer.assign(assigned.keySet());
  }

  private void startAt(SplitBuffer split) {
    seek(split);
    ledger.reassigned(split.pause);
  }

  /** Fetches on from the split's own fetch offset. */
  void seek(SplitBuffer split) {
    split.seekedBackTo = -1;
    if (split.trustsEpoch()) {
      consumer.seek(
          split.partition(),
          new OffsetAndMetadata(split.fetchOffset(), Optional.of(split.fetchEpoch()), ""));
    } else {
      consumer.seek(split.partition(), split.fetchOffset());
    }
  }

  /**
   * Fetches again what the last poll brought beyond the split's fetch offset. Without the epoch:
   * the client has just come past this offset. With it, it would ask the broker about the epoch
   * first, and meanwhile fetch from that broker for idle splits alone, which takes {@code
   * fetch.max.wait.ms}. A split that is paused there is another matter, see {@link #applyPauses}.
   */
  void seekBack(SplitBuffer split) {
    consumer.seek(split.partition(), split.fetchOffset());
    split.seekedBackTo = split.fetchOffset();
  }

  /**
   * Polls; first for a moment, when something can be asked for ahead.
   *
   * @see FetchAhead
   */
  ConsumerRecords<byte[], byte[]> poll(long nanos) {
    heldBack = false;
    if (rests.groups() < maxGroups) {
      List<TopicPartition> others =
          ahead.toPause(assigned.values(), splitCount() - ledger.pausedCount());
      if (!others.isEmpty()) {
        ConsumerRecords<byte[], byte[]> early = pollWithout(others);
        if (!early.nextOffsets().isEmpty()) {
          heldBack = true;
          ahead.cameEarly();
          return early;
        }
      }
    }
    // The client counts in whole milliseconds; less than one would be a loop without waiting.
    return consumer.poll(Duration.ofMillis((nanos + 999_999) / 1_000_000));
  }

  private ConsumerRecords<byte[], byte[]> pollWithout(List<TopicPartition> others) {
    consumer.pause(others);
    try {
      return consumer.poll(Duration.ZERO);
    } finally {
      consumer.resume(others);
    }
  }

  /** Whether the last poll left out open splits of which the client may hold something. */
  boolean heldBack() {
    return heldBack;
  }

  OptionalLong currentLag(TopicPartition partition) {
    return consumer.currentLag(partition);
  }

  /** Sends what changed in the ledger, and keeps the number of paused groups bounded. */
  void applyPauses() {
    if (consumer == null) {
      return;
    }
    PauseLedger.Delta delta = ledger.apply(consumer);
    for (TopicPartition partition : delta.resumed()) {
      rests.resumed(assigned.get(partition));
    }
    if (delta.paused().isEmpty()) {
      return;
    }
    List<SplitBuffer> paused = new ArrayList<>(delta.paused().size());
    for (TopicPartition partition : delta.paused()) {
      SplitBuffer split = assigned.get(partition);
      paused.add(split);
      if (split.seekedBackTo == split.fetchOffset()) {
        // While it is paused its log may be cut, and only with an epoch the client notices that.
        seek(split);
      }
    }
    pauseGroups(paused);
    // What was asked for ahead is a response more than without.
    int most = ahead.isAsking() ? maxGroups - 1 : maxGroups;
    while (rests.groups() > most) {
      shed(rests.oldest());
    }
  }

  /** What was asked for ahead comes in another response than what the client held before. */
  private void pauseGroups(List<SplitBuffer> paused) {
    List<SplitBuffer> asked = paused.stream().filter(ahead::isAsked).toList();
    if (asked.isEmpty() || asked.size() == paused.size()) {
      rests.paused(paused);
      return;
    }
    rests.paused(asked);
    rests.paused(paused.stream().filter(split -> !ahead.isAsked(split)).toList());
  }

  /** The last poll brought something of the split. */
  void gave(SplitBuffer split) {
    rests.gives(split);
    ahead.gives(split);
  }

  /** The last poll is taken; {@code all} when the client has no more that it could give. */
  void polled(boolean all) {
    rests.polled(all);
    ahead.polled(all);
  }

  /** Drops what the client holds for these splits; fetched again when they are open. */
  private void shed(List<SplitBuffer> members) {
    remove(members);
    for (SplitBuffer split : members) {
      assigned.put(split.partition(), split);
    }
    consumer.assign(assigned.keySet());
    for (SplitBuffer split : members) {
      if (split.pause.paused()) {
        seek(split);
      } else {
        seekBack(split);
      }
      ledger.reassigned(split.pause);
    }
    ledger.apply(consumer);
    stats.shed(members.size());
  }

  /** Replaces the consumer; every split goes on where it was. */
  void rebuild(int maxPollRecords, Duration closeTimeout) {
    unassignEnded();
    close(closeTimeout);
    open(maxPollRecords);
    assigned.values().forEach(rests::dropped);
    ahead.clear();
    if (!assigned.isEmpty()) {
      consumer.assign(assigned.keySet());
      assigned.values().forEach(this::startAt);
      ledger.apply(consumer);
    }
    stats.consumerRebuilt();
  }

  void close(Duration timeout) {
    if (consumer != null) {
      Consumer<byte[], byte[]> closing = consumer;
      consumer = null;
      closing.close(CloseOptions.timeout(timeout));
    }
  }
}

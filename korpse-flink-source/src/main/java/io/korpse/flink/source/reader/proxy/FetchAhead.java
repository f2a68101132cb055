package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Lets the client ask a broker for more while half of what it holds of that broker is still to be
 * read.
 *
 * <p>The client sends no fetch to a broker while it holds data of an open partition there, so that
 * without this the way to the broker and back is waited for after each response. Paused partitions
 * do not count, though: for the time of one poll, those that may still have data are paused, and
 * the fetch goes out for the others, which are drained. The next one is sent when that response is
 * being read, and so the client never holds more than two responses of a broker for open splits.
 *
 * <p>Only while about as much is to come of each: where one is far larger, it is the one that order
 * lives on, and must be in each fetch. And only with so few open splits that a response has data of
 * about all of them: with more, those that were just drained would be fetched before those that
 * were not yet, and the broker's fetch session would be told of all the others each time.
 *
 * <p>Confined to the fetcher thread.
 */
class FetchAhead {

  private static final int MAX_OPEN = 16;

  /** A split that has so many times as much to come as the others must be in each fetch. */
  private static final int UNEQUAL = 2;

  /** Of which the poll before, and the one that is looked at, brought something. */
  private Set<SplitBuffer> gaveBefore = new LinkedHashSet<>();

  private Set<SplitBuffer> gives = new LinkedHashSet<>();

  /** Of which the client has nothing more. */
  private final Set<SplitBuffer> drained = new LinkedHashSet<>();

  /** What was asked for ahead, until something of it comes. */
  private final Set<SplitBuffer> asked = new LinkedHashSet<>();

  /** Whether something of it came before what the client held is read. */
  private boolean early;

  /** The poll that is looked at brought something of the split. */
  void gives(SplitBuffer split) {
    gives.add(split);
    if (asked.contains(split)) {
      asked.clear();
    }
  }

  /**
   * A poll is over; the client reads what it holds of one partition to its end before it goes to
   * the next.
   *
   * @param all whether it gave all that the client held for open splits
   */
  void polled(boolean all) {
    if (all) {
      clear();
      return;
    }
    for (SplitBuffer split : gaveBefore) {
      if (!gives.contains(split)) {
        drained.add(split);
      }
    }
    drained.removeAll(gives);
    gaveBefore.clear();
    Set<SplitBuffer> empty = gaveBefore;
    gaveBefore = gives;
    gives = empty;
  }

  /** The answer came in the very poll that asked: until all is read, nothing more is asked for. */
  void cameEarly() {
    early = true;
  }

  /** Whether the client may hold a second response for open splits. */
  boolean isAsking() {
    return early || !asked.isEmpty();
  }

  /** Whether it was asked for ahead, and not for what the client held before. */
  boolean isAsked(SplitBuffer split) {
    return asked.contains(split);
  }

  void clear() {
    gaveBefore.clear();
    gives.clear();
    drained.clear();
    asked.clear();
    early = false;
  }

  /** The client holds nothing for the split any more. */
  void dropped(SplitBuffer split) {
    gaveBefore.remove(split);
    gives.remove(split);
    drained.remove(split);
    asked.remove(split);
  }

  /**
   * The partitions to pause during the next poll; empty when nothing is to be asked for ahead.
   *
   * @param open how many of the splits are open
   */
  List<TopicPartition> toPause(Collection<SplitBuffer> splits, int open) {
    if (drained.isEmpty() || isAsking() || open > MAX_OPEN || drained.size() * 2 < open) {
      return List.of();
    }
    long drainedLag = 0;
    long othersLag = 0;
    List<TopicPartition> others = new ArrayList<>();
    for (SplitBuffer split : splits) {
      if (split.fetchFinished() || split.pause.paused()) {
        continue;
      }
      if (drained.contains(split)) {
        asked.add(split);
        drainedLag = Math.max(drainedLag, split.knownLag());
      } else {
        others.add(split.partition());
        othersLag = Math.max(othersLag, split.knownLag());
      }
    }
    drained.clear();
    // Without anything to come, the fetch of all would wait at the broker.
    if (others.isEmpty() || drainedLag == 0 || othersLag > UNEQUAL * drainedLag) {
      asked.clear();
      return List.of();
    }
    return others;
  }
}

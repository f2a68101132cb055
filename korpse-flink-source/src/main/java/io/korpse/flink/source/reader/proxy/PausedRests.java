package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which splits may still have a rest of a response in the client, and how many responses of a
 * broker these can be at most.
 *
 * <p>The client asks a broker for more only when it holds nothing of that broker that could be read
 * now. So splits that are paused by one step, and had no rest before they were open, share one
 * response of each broker: a group. A split that is open again has its old rest until a poll has
 * given all that the client held; until then it counts in its old group, also when it is paused
 * anew and comes into another. The client thus holds one response of each broker for each group,
 * and one more for the splits that are open; two, while something is asked for ahead.
 *
 * <p>Confined to the fetcher thread.
 */
final class PausedRests {

  /** Splits that were paused by one step and may have a rest of the response of that time. */
  static final class Group {
    private final Set<SplitBuffer> members = new LinkedHashSet<>();
  }

  private final Set<Group> groups = new LinkedHashSet<>();

  /** Splits that are open and may still have the rest that they had when they were paused. */
  private final Set<SplitBuffer> reopened = new LinkedHashSet<>();

  /** Those of them that the last poll brought something of, and that the current one does. */
  private Set<SplitBuffer> gaveBefore = new LinkedHashSet<>();

  private Set<SplitBuffer> gives = new LinkedHashSet<>();

  int groups() {
    return groups.size();
  }

  /** One step paused these. */
  void paused(List<SplitBuffer> splits) {
    Group group = new Group();
    for (SplitBuffer split : splits) {
      close(split);
      split.rests.add(group);
      group.members.add(split);
    }
    groups.add(group);
  }

  void resumed(SplitBuffer split) {
    if (!split.rests.isEmpty()) {
      reopened.add(split);
    }
  }

  /** The poll that is looked at brought something of the split. */
  void gives(SplitBuffer split) {
    if (!split.rests.isEmpty() && reopened.contains(split)) {
      gives.add(split);
    }
  }

  /**
   * A poll is over. The client reads one rest to its end before it goes to the next: of which it
   * gave something in the poll before, and no more in this one, that has no rest.
   *
   * @param all whether it gave all that the client held for open splits
   */
  void polled(boolean all) {
    if (all) {
      reopened.forEach(this::leaveGroups);
      reopened.clear();
      gaveBefore.clear();
      gives.clear();
      return;
    }
    for (SplitBuffer split : gaveBefore) {
      if (!gives.contains(split)) {
        leaveGroups(split);
        reopened.remove(split);
      }
    }
    gaveBefore.clear();
    Set<SplitBuffer> empty = gaveBefore;
    gaveBefore = gives;
    gives = empty;
  }

  /** The client holds nothing for the split any more. */
  void dropped(SplitBuffer split) {
    leaveGroups(split);
    close(split);
  }

  private void close(SplitBuffer split) {
    reopened.remove(split);
    gaveBefore.remove(split);
    gives.remove(split);
  }

  private void leaveGroups(SplitBuffer split) {
    for (Group group : split.rests) {
      group.members.remove(split);
      if (group.members.isEmpty()) {
        groups.remove(group);
      }
    }
    split.rests.clear();
  }

  /** The splits of the group that is there for the longest time. */
  List<SplitBuffer> oldest() {
    return new ArrayList<>(groups.iterator().next().members);
  }
}

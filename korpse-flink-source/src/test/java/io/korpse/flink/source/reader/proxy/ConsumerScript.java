package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** A seeded sequence of things to do to a consumer and to the partitions that it reads. */
final class ConsumerScript {

  /** One thing to do. Partitions are numbers from 0. */
  sealed interface Step {}

  /** One batch; the values have {@code bytes} bytes each. */
  record Append(int partition, int records, int bytes) implements Step {}

  /** The records of a transaction and its marker. */
  record AppendTransaction(int partition, int records, boolean commit) implements Step {}

  /** Polls until a poll returns nothing, at most {@code times} times. */
  record Poll(int times) implements Step {}

  record Pause(Set<Integer> partitions) implements Step {}

  record Resume(Set<Integer> partitions) implements Step {}

  /** Goes to this share of what was appended so far, in percent. */
  record Seek(int partition, int percent) implements Step {}

  /** Changes the assignment; a partition that is new is read from the start. */
  record Assign(Set<Integer> partitions) implements Step {}

  private ConsumerScript() {}

  /** The script of a seed. */
  static List<Step> random(long seed, int partitions, int steps) {
    Random random = new Random(seed);
    List<Step> script = new ArrayList<>();
    script.add(new Assign(some(random, partitions, 2)));
    for (int i = 0; i < 3; i++) {
      script.add(append(random, partitions));
    }
    Set<Integer> assigned = ((Assign) script.get(0)).partitions();
    for (int i = 0; i < steps; i++) {
      int dice = random.nextInt(100);
      int partition = List.copyOf(assigned).get(random.nextInt(assigned.size()));
      if (dice < 35) {
        script.add(append(random, partitions));
      } else if (dice < 40) {
        script.add(
            new AppendTransaction(
                random.nextInt(partitions), 1 + random.nextInt(4), random.nextBoolean()));
      } else if (dice < 65) {
        script.add(new Poll(1 + random.nextInt(6)));
      } else if (dice < 75) {
        script.add(new Pause(Set.of(partition)));
      } else if (dice < 88) {
        script.add(new Resume(Set.of(partition)));
      } else if (dice < 94) {
        script.add(new Seek(partition, random.nextInt(101)));
      } else {
        assigned = some(random, partitions, 1);
        script.add(new Assign(assigned));
      }
    }
    script.add(new Resume(assigned));
    script.add(new Poll(200));
    return script;
  }

  private static Append append(Random random, int partitions) {
    return new Append(random.nextInt(partitions), 1 + random.nextInt(12), 10 + random.nextInt(700));
  }

  private static Set<Integer> some(Random random, int partitions, int least) {
    Set<Integer> some = new TreeSet<>();
    int wanted = least + random.nextInt(partitions - least + 1);
    while (some.size() < wanted) {
      some.add(random.nextInt(partitions));
    }
    return some;
  }
}

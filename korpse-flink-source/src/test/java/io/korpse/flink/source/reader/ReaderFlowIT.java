package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.produce;
import static io.korpse.flink.source.reader.ReaderRig.source;
import static io.korpse.flink.source.reader.ReaderRig.split;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.enumerator.event.SplitsFinishedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A reader whose task is slow, whose splits are held, or whose broker is gone. */
@Timeout(180)
final class ReaderFlowIT {

  /** Nothing has to be waited for, but the machine may be busy. */
  private static final Duration QUICK = Duration.ofSeconds(3);

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** W39, W70: a task that takes nothing stops neither other splits nor commits. */
  @Test
  void a_full_split_stops_neither_a_new_split_nor_a_commit() throws Exception {
    produce(broker, "full", 1, 5_000);
    produce(broker, "late", 1, 7);

    try (ReaderRig rig = new ReaderRig(source(broker).setSplitBufferRecords(10))) {
      rig.add(split("full", 0));
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> rig.gauge("pausedSplits") == 1 && rig.gauge("recordsRead") > 0);
      long read = rig.gauge("recordsRead");
      assertThat(rig.partitionGauge("full", 0, "pauseReasons"))
          .as("its buffer is full")
          .isEqualTo(1);

      rig.add(split("late", 0)).checkpoint(1);

      await().atMost(EmbeddedBroker.patience()).until(() -> rig.gauge("recordsRead") >= read + 7);
      ReaderRig.committed(broker).await("late", Map.of(0, 0L));
      assertThat(rig.output.elements).isEmpty();
    }
  }

  /** What it was taken out of the list for, as a poison record, would fail the job once more. */
  @Test
  void nothing_is_read_of_a_restored_split_that_is_no_longer_subscribed_to() throws Exception {
    produce(broker, "unsubscribed", 1, 100);
    produce(broker, "subscribed", 2, 100);

    try (ReaderRig rig = new ReaderRig(source(broker), "subscribed")) {
      KorpseSplit old = split("unsubscribed", 0);
      rig.add(old, split("subscribed", 1));
      rig.pollUntilCount(100);
      assertThat(rig.reader.snapshotState(1)).contains(old);

      SplitsRemovedEvent removed = new SplitsRemovedEvent(List.of(old.partition()), "not wanted");
      rig.reader.handleSourceEvents(removed);
      rig.pollUntil(
          () ->
              rig.context.sent.stream()
                  .anyMatch(
                      event ->
                          event instanceof SplitsFinishedEvent finished
                              && finished.partitions().equals(removed.partitions())));

      assertThat(rig.output.elements).hasSize(100).allMatch(value -> value.startsWith("1:"));
    }
  }

  /** W74: alignment may still speak of splits that have ended, or that were never here. */
  @Test
  void a_pause_of_a_split_that_has_ended_is_harmless() throws Exception {
    produce(broker, "short", 1, 10);
    produce(broker, "next", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("short", 0, 5)).pollUntil(() -> rig.output.released.contains("short-0"));
      rig.reader.pauseOrResumeSplits(List.of("short-0", "never-0"), List.of("other-0"));
      rig.add(split("next", 0)).pollUntilCount(15);

      assertThat(rig.output.elements).hasSize(15);
    }
  }

  /** W76: what is buffered of a held split stays there; only what was handed over goes out. */
  @Test
  void what_is_buffered_of_a_held_split_does_not_go_out() throws Exception {
    produce(broker, "held", 2, 16_000);
    // Four batches may be out, and a fifth be in the making.
    int most = 5 * 2_048;

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("held", 0));
      await().atMost(EmbeddedBroker.patience()).until(() -> rig.gauge("recordsRead") == 16_000);
      rig.pollUntilCount(100);
      rig.reader.pauseOrResumeSplits(List.of("held-0"), List.of());
      rig.add(split("held", 1)).pollUntil(() -> last(rig).equals("1:15999"));

      assertThat(rig.output.elements)
          .filteredOn(value -> value.startsWith("0:"))
          .hasSizeLessThan(most);
      assertThat(rig.partitionGauge("held", 0, "bufferedRecords")).isPositive();
      assertThat(rig.partitionGauge("held", 0, "bufferedBytes")).isPositive();
      assertThat(rig.partitionGauge("held", 0, "pauseReasons") & 4).as("alignment").isEqualTo(4);
      assertThat(rig.partitionGauge("held", 1, "pauseReasons")).isZero();

      rig.reader.pauseOrResumeSplits(List.of(), List.of("held-0"));
      rig.pollUntilCount(32_000);
    }
  }

  private static String last(ReaderRig rig) {
    List<String> elements = rig.output.elements;
    return elements.get(elements.size() - 1);
  }

  /** W82: closing does not wait for a broker that is gone. */
  @Test
  void closing_takes_no_longer_than_it_may_when_the_broker_is_gone() throws Exception {
    EmbeddedBroker leaving = EmbeddedBroker.start();
    produce(leaving, "leaving", 1, 10);
    ReaderRig rig =
        new ReaderRig(source(leaving).setProperty(KorpseSourceOptions.CLOSE_TIMEOUT.key(), "1 s"));
    rig.add(split("leaving", 0)).pollUntilCount(10);
    rig.checkpoint(1);
    leaving.close();
    rig.checkpoint(2);

    // One second for the consumer and one for the committer, and a busy machine.
    assertThat(timeToClose(rig)).isLessThan(Duration.ofSeconds(6));
  }

  @Test
  void closing_is_quick_while_every_split_is_held() throws Exception {
    produce(broker, "still", 2, 10);
    ReaderRig rig = new ReaderRig(source(broker));
    rig.add(split("still", 0), split("still", 1)).pollUntilCount(20);
    rig.reader.pauseOrResumeSplits(List.of("still-0", "still-1"), List.of());
    await().atMost(EmbeddedBroker.patience()).until(() -> rig.gauge("pausedSplits") == 2);

    assertThat(timeToClose(rig)).isLessThan(QUICK);
  }

  @Test
  void closing_is_quick_while_the_task_takes_nothing() throws Exception {
    produce(broker, "untaken", 1, 16_000);
    ReaderRig rig = new ReaderRig(source(broker));
    rig.add(split("untaken", 0));
    await().atMost(EmbeddedBroker.patience()).until(() -> rig.gauge("batchesHandedOver") == 4);

    assertThat(timeToClose(rig)).isLessThan(QUICK);
    assertThat(rig.gauge("heldBytes")).isZero();
  }

  private static Duration timeToClose(ReaderRig rig) {
    long start = System.nanoTime();
    rig.close();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** W64: a schema may hold clients of a registry. */
  @Test
  void the_schema_is_closed_with_its_reader() throws Exception {
    Closing.OPEN.set(0);
    try (ReaderRig rig =
        new ReaderRig(
            KorpseSource.<String>builder()
                .setBootstrapServers(broker.bootstrapServers())
                .setValueOnlyDeserializer(new Closing()))) {
      assertThat(Closing.OPEN).hasValue(1);
      rig.reader.notifyNoMoreSplits();
    }
    assertThat(Closing.OPEN).hasValue(0);
  }

  private static final class Closing extends SimpleStringSchema implements AutoCloseable {
    private static final long serialVersionUID = 1L;
    private static final AtomicInteger OPEN = new AtomicInteger();

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
      OPEN.incrementAndGet();
    }

    @Override
    public void close() {
      OPEN.decrementAndGet();
    }
  }
}

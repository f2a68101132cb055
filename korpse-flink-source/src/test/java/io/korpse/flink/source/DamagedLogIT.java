package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.deserializer.BadRecord;
import io.korpse.flink.source.deserializer.BadRecordHandler;
import io.korpse.flink.source.testing.LogFile;
import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Batches that were damaged on the broker's disk are bad records. The log holds the batches 0 to
 * 10, 10 to 17, 17 to 20 and 20 to 30; the damage is in the second one or the last.
 */
@Timeout(180)
@ParameterizedClass
@EnumSource
final class DamagedLogIT {

  enum Damage {
    CHECKSUM,
    RECORD,
    SIZE
  }

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static final Map<String, Queue<String>> HANDLED = new ConcurrentHashMap<>();

  private static EmbeddedBroker broker;

  @Parameter Damage damage;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void writeBatches() {
    broker.createTopic(topic, 2);
    int[] ends = {0, 10, 17, 20, 30};
    for (int i = 1; i < ends.length; i++) {
      Values.writeBatch(broker, topic, 0, ends[i - 1], ends[i]);
    }
    Values.write(broker, topic, 1, 0, 40);
  }

  @Test
  void fails_with_the_coordinates_by_default() throws Exception {
    damage(1);
    try (RunningJob<String> job = RunningJob.start(source().build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains("offset 10 of " + topic + "-0")
                      .contains("onBadRecord")
                      .contains("replica"));
    }
  }

  @Test
  void skips_the_batch_and_nothing_else() throws Exception {
    damage(1);
    List<String> expected = new ArrayList<>(Values.of(topic, 0, 0, 10));
    expected.addAll(Values.of(topic, 0, endOfDamage(), 30));
    expected.addAll(Values.of(topic, 1, 0, 40));

    assertThat(run(source().setOnBadRecord(BadRecordPolicy.SKIP)))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void ends_when_the_last_batch_is_damaged() throws Exception {
    damage(3);

    assertThat(run(source().setOnBadRecord(BadRecordPolicy.SKIP).setDeserializeOnFetcher(true)))
        .hasSize(20 + 40);
  }

  @Test
  void hands_it_over_once_with_its_offset() throws Exception {
    damage(1);
    HANDLED.put(topic, new ConcurrentLinkedQueue<>());

    assertThat(run(source().setBadRecordHandler(new Keeper(topic))))
        .hasSize(10 + 30 - endOfDamage() + 40);

    assertThat(HANDLED.get(topic)).containsExactly(topic + "-0@10");
  }

  /** Where the damage in the second batch ends: without its size the next one is not found. */
  private int endOfDamage() {
    return damage == Damage.SIZE ? 30 : 17;
  }

  private void damage(int batch) throws IOException {
    LogFile file = LogFile.of(broker, topic + "-0");
    switch (damage) {
      case CHECKSUM -> file.breakBatch(batch);
      case RECORD -> file.breakFirstRecord(batch);
      case SIZE -> file.breakSize(batch);
    }
  }

  private KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setBounded(OffsetsInitializer.latest())
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  private static List<String> run(KorpseSourceBuilder<String> source) throws Exception {
    try (RunningJob<String> job = RunningJob.start(source.build(), 1, null)) {
      job.awaitEnd();
      return job.values();
    }
  }

  private record Keeper(String topic) implements BadRecordHandler {
    @Override
    public void handle(BadRecord bad) {
      HANDLED
          .get(topic)
          .add(bad.record().topic() + "-" + bad.record().partition() + "@" + bad.record().offset());
    }
  }
}

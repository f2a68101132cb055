package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.committed;
import static io.korpse.flink.source.reader.ReaderRig.produce;
import static io.korpse.flink.source.reader.ReaderRig.source;
import static io.korpse.flink.source.reader.ReaderRig.split;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.CommitMode;
import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.deserializer.BadRecord;
import io.korpse.flink.source.deserializer.BadRecordHandler;
import io.korpse.testing.EmbeddedBroker;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group is not ahead of dead letters that are not safe, whenever positions are committed. */
@Timeout(180)
final class ReaderFlushIT {

  private static final AtomicInteger HANDED = new AtomicInteger();
  private static final AtomicInteger SAFE = new AtomicInteger();
  private static final Set<String> THREADS = ConcurrentHashMap.newKeySet();

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void reset() {
    HANDED.set(0);
    SAFE.set(0);
    THREADS.clear();
  }

  @Test
  void the_handler_flushes_before_a_periodic_commit() throws Exception {
    produce(broker, "periodic", 1, 5);

    try (ReaderRig rig = new ReaderRig(refusing(CommitMode.PERIODIC))) {
      rig.add(split("periodic", 0)).pollUntil(() -> isCommitted("periodic", 5));

      assertThat(SAFE).hasValue(5);
      assertThat(THREADS).containsExactly(Thread.currentThread().getName());
    }
  }

  @Test
  void the_handler_flushes_before_the_commit_at_the_end() throws Exception {
    produce(broker, "end", 1, 5);

    try (ReaderRig rig = new ReaderRig(refusing(CommitMode.ON_CHECKPOINT_OR_END))) {
      rig.add(split("end", 0, 5)).reader.notifyNoMoreSplits();
      rig.pollUntil(() -> isCommitted("end", 5));

      assertThat(SAFE).hasValue(5);
    }
  }

  private static KorpseSourceBuilder<String> refusing(CommitMode mode) {
    return source(broker)
        .setValueOnlyDeserializer(new Refusing())
        .setBadRecordHandler(new Keeper())
        .setCommitMode(mode)
        .setCommitInterval(Duration.ofMillis(50));
  }

  private static boolean isCommitted(String topic, long offset) {
    return committed(broker).of(topic).equals(Map.of(0, offset));
  }

  private static final class Refusing extends AbstractDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String deserialize(byte[] message) throws IOException {
      throw new IOException("not wanted");
    }
  }

  private static final class Keeper implements BadRecordHandler {
    private static final long serialVersionUID = 1L;

    @Override
    public void handle(BadRecord record) {
      HANDED.incrementAndGet();
    }

    @Override
    public void flush() {
      SAFE.set(HANDED.get());
      THREADS.add(Thread.currentThread().getName());
    }
  }
}

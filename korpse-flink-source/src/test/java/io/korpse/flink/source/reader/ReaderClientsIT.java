package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.produce;
import static io.korpse.flink.source.reader.ReaderRig.source;
import static io.korpse.flink.source.reader.ReaderRig.split;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.testing.EmbeddedBroker;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Kafka consumer of a reader: its thread, its name, its place, and what it must not do. */
@Timeout(180)
final class ReaderClientsIT {

  private static final AtomicInteger RACK_CALLS = new AtomicInteger();

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(1, Map.of("auto.create.topics.enable", "true"));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void forget() {
    Watcher.THREADS.clear();
    Watcher.RACKS.clear();
    RACK_CALLS.set(0);
  }

  /** W26: a topic that was deleted is not created again by those who read it. */
  @Test
  void a_topic_that_is_not_there_is_not_created() throws Exception {
    produce(broker, "present", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("absent", 0), split("present", 0));
      // One metadata request asks for both, and its answer comes before the first fetch.
      rig.pollUntilCount(10);
    }
    assertThat(topics()).contains("present").doesNotContain("absent");

    try (KafkaConsumer<byte[], byte[]> plain =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      plain.partitionsFor("absent", Duration.ofSeconds(30));
    }
    // What a consumer with Kafka's defaults does.
    await().atMost(EmbeddedBroker.patience()).until(() -> topics().contains("absent"));
  }

  private static Set<String> topics() throws Exception {
    try (Admin admin = broker.admin()) {
      return admin.listTopics().names().get();
    }
  }

  /** W53: two sources with one group, on the same subtask of the same TaskManager. */
  @Test
  void the_clients_of_two_readers_with_one_group_do_not_clash() throws Exception {
    produce(broker, "shared", 1, 10);

    try (ReaderRig one = new ReaderRig(source(broker));
        ReaderRig other = new ReaderRig(source(broker))) {
      one.add(split("shared", 0)).pollUntilCount(10);
      other.add(split("shared", 0)).pollUntilCount(10);

      assertThat(consumers()).hasSize(2);
    }
    assertThat(consumers()).isEmpty();
  }

  /** W38: once the fetcher is closed, commits make neither a fetcher nor a consumer. */
  @Test
  void commits_after_the_end_of_the_last_split_make_no_consumer() throws Exception {
    produce(broker, "ended", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("ended", 0, 7));
      rig.pollUntil(() -> rig.output.released.contains("ended-0") && consumers().isEmpty());

      for (int id = 1; id <= 3; id++) {
        rig.checkpoint(id);
      }

      ReaderRig.committed(broker).await("ended", Map.of(0, 7L));
      assertThat(consumers()).isEmpty();
    }
  }

  /** W73: none of the consumer's life is on the task thread. */
  @Test
  void the_consumer_is_made_used_and_closed_by_the_fetcher_thread() throws Exception {
    produce(broker, "threads", 1, 10);

    try (ReaderRig rig = new ReaderRig(watched())) {
      rig.add(split("threads", 0)).pollUntilCount(10);
    }

    assertThat(Watcher.THREADS)
        .extracting(Event::what)
        .startsWith("made")
        .contains("used")
        .endsWith("closed");
    assertThat(Watcher.THREADS)
        .extracting(Event::thread)
        .allMatch(name -> name.startsWith("Source Data Fetcher"))
        .containsOnly(Watcher.THREADS.peek().thread());
  }

  @Test
  void the_rack_is_asked_for_where_the_reader_is_made() throws Exception {
    produce(broker, "racks", 1, 10);
    KorpseSourceBuilder<String> source =
        watched()
            .setRackIdSupplier(
                () -> {
                  RACK_CALLS.incrementAndGet();
                  return "rack-7";
                });
    source.setProperty("client.rack", "overwritten");

    try (ReaderRig rig = new ReaderRig(source)) {
      rig.add(split("racks", 0)).pollUntilCount(10);
    }

    assertThat(RACK_CALLS).hasValue(1);
    assertThat(Watcher.RACKS).containsOnly("rack-7");
  }

  @Test
  void a_rack_that_is_null_or_empty_is_ignored() throws Exception {
    produce(broker, "no-racks", 1, 10);
    for (String none : new String[] {"", null}) {
      KorpseSourceBuilder<String> source = watched().setRackIdSupplier(() -> none);
      source.setProperty("client.rack", "kept");
      try (ReaderRig rig = new ReaderRig(source)) {
        rig.add(split("no-racks", 0)).pollUntilCount(10);
      }
    }

    assertThat(Watcher.RACKS).containsOnly("kept");
  }

  private static KorpseSourceBuilder<String> watched() {
    return source(broker).setProperty("interceptor.classes", Watcher.class.getName());
  }

  /** The client ids of the consumers of readers in this JVM, as they show in JMX. */
  private static Set<String> consumers() {
    try {
      Set<String> ids = new TreeSet<>();
      ManagementFactory.getPlatformMBeanServer()
          .queryNames(
              new ObjectName("kafka.consumer:type=app-info,id=" + ReaderRig.GROUP + "-0-*"), null)
          .forEach(name -> ids.add(name.getKeyProperty("id")));
      return ids;
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException(e);
    }
  }

  private record Event(String what, String thread) {}

  /** Made and closed with its consumer, and called in each poll that brings records. */
  public static final class Watcher implements ConsumerInterceptor<byte[], byte[]> {

    static final Queue<Event> THREADS = new ConcurrentLinkedQueue<>();
    static final List<String> RACKS = new CopyOnWriteArrayList<>();

    private static void note(String what) {
      THREADS.add(new Event(what, Thread.currentThread().getName()));
    }

    @Override
    public void configure(Map<String, ?> configs) {
      RACKS.add((String) configs.get("client.rack"));
      note("made");
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      note("used");
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {
      note("closed");
    }
  }
}

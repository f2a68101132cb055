package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.Census;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.LocalKafka;
import io.korpse.flink.jobs.local.Topics;
import io.korpse.flink.jobs.local.Workspace;
import io.korpse.flink.source.KorpseSource;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Restarts a job again and again, in this JVM, and counts the threads and Kafka clients that it
 * has.
 */
final class RestartCheck {

  private static final String TOPIC = "restarts";
  private static final String GROUP = "restart-check";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final PrintWriter err;

  RestartCheck(PrintWriter err) {
    this.err = err;
  }

  /**
   * Restarts the job so often.
   *
   * @param home directory of flink-jobs
   * @return a census after the first restart and one after the last
   */
  List<Census> run(Path home, int restarts) throws Exception {
    try (Workspace workspace = Workspace.create("korpse-restarts-")) {
      LocalKafka kafka =
          LocalKafka.start(workspace, Classpath.of(home.resolve("target")), 1, Map.of());
      kafka.awaitReady(PATIENCE);
      try (Admin admin = kafka.admin();
          KafkaProducer<String, String> producer =
              new KafkaProducer<>(
                  Map.of("bootstrap.servers", kafka.bootstrapServers()),
                  new StringSerializer(),
                  new StringSerializer())) {
        Topics.create(admin, new NewTopic(TOPIC, 1, (short) 1));
        JobClient job = start(kafka);
        try {
          return restart(admin, producer, restarts);
        } finally {
          job.cancel().get(60, TimeUnit.SECONDS);
        }
      }
    }
  }

  private List<Census> restart(Admin admin, KafkaProducer<String, String> producer, int restarts)
      throws Exception {
    List<Census> counts = new ArrayList<>();
    for (int number = 1; number <= restarts; number++) {
      producer.send(new ProducerRecord<>(TOPIC, Integer.toString(number))).get();
      long read = number;
      Await.until("restart " + number, PATIENCE, () -> committed(admin) >= read);
      if (counts.isEmpty()) {
        counts.add(Census.take());
      }
    }
    // What was closed may take a moment to end.
    Census first = counts.get(0);
    Census[] last = {Census.take()};
    try {
      Await.until(
          "the end of old threads",
          Duration.ofSeconds(20),
          () -> {
            last[0] = Census.take();
            return last[0].equals(first);
          });
    } catch (IllegalStateException e) {
      err.println("Before: " + first + "\nAfter: " + last[0]);
    }
    counts.add(last[0]);
    return counts;
  }

  private static JobClient start(LocalKafka kafka) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    environment.enableCheckpointing(100);
    environment
        .fromSource(
            KorpseSource.<String>builder()
                .setBootstrapServers(kafka.bootstrapServers())
                .setTopics(TOPIC)
                .setGroupId(GROUP)
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .build(),
            WatermarkStrategy.noWatermarks(),
            "source")
        .map(new Failing())
        .sinkTo(new DiscardingSink<>());
    return environment.executeAsync("restarts");
  }

  private static long committed(Admin admin) throws Exception {
    var position =
        admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get().get(PARTITION);
    return position == null ? -1 : position.offset();
  }

  /** Fails at each number until the job has been started more often than that. */
  private static final class Failing extends RichMapFunction<String, String> {

    private static final long serialVersionUID = 1L;

    private transient int attempt;

    @Override
    public void open(OpenContext context) {
      attempt = getRuntimeContext().getTaskInfo().getAttemptNumber();
    }

    @Override
    public String map(String number) {
      if (attempt < Integer.parseInt(number)) {
        throw new IllegalStateException("Restart " + number + " was asked for");
      }
      return number;
    }
  }
}

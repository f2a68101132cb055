package io.korpse.flink.jobs;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceOptions;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Copies a topic to another, exactly once: what readers of the copy see under {@code
 * read_committed} has every record once, with its key, value, headers and timestamp.
 *
 * <p>Reads through {@link KorpseSource} and writes with Flink's Kafka sink in transactions, which
 * are committed when a checkpoint is complete.
 */
@Command(
    name = "copy-topic",
    mixinStandardHelpOptions = true,
    version = "Korpse copy-topic",
    showDefaultValues = true,
    sortOptions = false,
    description =
        "Copies a topic to another, exactly once. Readers of the copy must use"
            + " isolation.level=read_committed; they see new records after each checkpoint.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the job has ended as asked",
      "1:the job failed, or could not be started",
      "2:an option is wrong"
    })
public final class CopyTopicJob implements Callable<Integer> {

  /** The job's name in Flink. */
  public static final String NAME = "copy-topic";

  @Mixin private SourceOptions source;

  @Option(names = "--topic", paramLabel = "TOPIC", required = true, description = "Topic to read.")
  private String topic;

  @Option(
      names = "--to-topic",
      paramLabel = "TOPIC",
      required = true,
      description = "Topic to write; it must exist.")
  private String toTopic;

  @Option(names = "--group", paramLabel = "GROUP", description = "Consumer group to commit to.")
  private String group = NAME;

  @Option(
      names = "--keep-partition",
      description =
          "Write each record to the partition number that it came from, which keeps the order"
              + " within partitions; else its key decides.")
  private boolean keepPartition;

  @Option(
      names = "--transactional-id-prefix",
      paramLabel = "PREFIX",
      description = "How the sink's transactions are called; unique among jobs of one Kafka.")
  private String transactionalIdPrefix = NAME;

  @Option(
      names = "--transaction-timeout",
      paramLabel = "MILLISECONDS",
      description =
          "Kafka aborts a transaction after this long, and what it held is lost: longer than any"
              + " pause of the job, and at most the brokers' transaction.max.timeout.ms.")
  private int transactionTimeoutMillis = 900_000;

  /** Runs the job with command line options; see {@code --help}. */
  public static void main(String[] arguments) throws Exception {
    JobMain.run(new CopyTopicJob(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    StreamExecutionEnvironment environment = source.environment(topic, toTopic);
    // Records go from the source to the sink in one task and are not changed on the way.
    environment.getConfig().enableObjectReuse();
    environment
        .fromSource(source(), WatermarkStrategy.noWatermarks(), "from topic")
        .uid("from-topic")
        .sinkTo(sink())
        .uid("to-topic")
        .name("to topic");
    environment.execute(NAME);
    return 0;
  }

  private KorpseSource<CopiedRecord> source() {
    return source
        .applyTo(
            KorpseSource.<CopiedRecord>builder()
                .setTopics(topic)
                .setGroupId(group)
                .setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed")
                .setDeserializer(new CopiedRecord.Schema()),
            key -> ConsumerConfig.configNames().contains(key) || isKorpse(key))
        .build();
  }

  private KafkaSink<CopiedRecord> sink() {
    Properties config = new Properties();
    config.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, transactionTimeoutMillis);
    source
        .settings()
        .forEach(
            (key, value) -> {
              if (ProducerConfig.configNames().contains(key)) {
                config.put(key, value);
              }
            });
    return KafkaSink.<CopiedRecord>builder()
        .setBootstrapServers(source.bootstrapServers())
        .setKafkaProducerConfig(config)
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .setTransactionalIdPrefix(transactionalIdPrefix)
        .setRecordSerializer(new Writer(toTopic, keepPartition))
        .build();
  }

  private static boolean isKorpse(String key) {
    return key.startsWith("korpse.") || key.equals(KorpseSourceOptions.DISCOVERY_INTERVAL.key());
  }

  private static final class Writer implements KafkaRecordSerializationSchema<CopiedRecord> {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final boolean samePartition;

    Writer(String topic, boolean samePartition) {
      this.topic = topic;
      this.samePartition = samePartition;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
        CopiedRecord record, KafkaSinkContext context, Long timestamp) {
      return record.to(topic, samePartition);
    }
  }
}

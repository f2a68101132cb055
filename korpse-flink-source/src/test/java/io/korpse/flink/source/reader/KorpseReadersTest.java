package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.Extensions;
import io.korpse.flink.source.KafkaConsumerFactory;
import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.RecordHook;
import io.korpse.flink.source.RecordOrder;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.deserializer.BadRecord;
import io.korpse.flink.source.deserializer.BadRecordHandler;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.testing.LogCapture;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.Test;

/** How a reader is made, and what it says then. */
final class KorpseReadersTest {

  /** Of what is serialized. */
  private static final List<String> CLOSED = new CopyOnWriteArrayList<>();

  @Test
  void says_that_the_longest_hold_must_be_below_the_idleness_which_it_cannot_see()
      throws Exception {
    SourceSettings settings =
        SourceSettings.defaults("localhost:1")
            .with(KorpseSourceOptions.ORDER_MAX_HOLD, Duration.ofSeconds(7));

    assertThat(logOfNewReader(settings))
        .filteredOn(line -> line.contains("withIdleness"))
        .singleElement()
        .asString()
        .contains("7000 ms", "korpse.order.max-hold");
    assertThat(logOfNewReader(settings.with(KorpseSourceOptions.ORDER, RecordOrder.FAIR)))
        .noneMatch(line -> line.contains("withIdleness"));
  }

  /** The sizes that a record carries are those of what the broker sent. */
  @Test
  void what_a_hook_puts_in_place_of_a_record_weighs_what_it_holds() {
    RecordHook hook = (record, drops) -> record;
    ConsumerRecord<byte[], byte[]> made =
        new ConsumerRecord<>("t", 0, 0, new byte[10], new byte[100_000]);

    assertThat(weight(new Extensions(KafkaConsumerFactory.STANDARD, hook, null), made))
        .isGreaterThan(100_010);
    assertThat(weight(new Extensions(KafkaConsumerFactory.STANDARD, hook, record -> 7), made))
        .isEqualTo(7);
  }

  private static int weight(Extensions userCode, ConsumerRecord<byte[], byte[]> record) {
    return KorpseReaders.weigher(userCode, true, true).weigh(record);
  }

  /** Nothing else happens to a split that is held for ever: no checkpoint, no other pause. */
  @Test
  void names_a_split_that_alignment_holds_for_long_also_without_checkpoints() throws Exception {
    AtomicLong nanos = new AtomicLong();
    SourceSettings settings =
        SourceSettings.defaults("localhost:1")
            .with(KorpseSourceOptions.CLOSE_TIMEOUT, Duration.ofMillis(100))
            .with(KorpseSourceOptions.LAG_INTERVAL, Duration.ofMillis(20));
    SourceReader<String, KorpseSplit> reader =
        KorpseReaders.create(
            new FakeReaderContext(),
            KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
            settings,
            partition -> true,
            new AlignmentWatch(nanos::get));
    try (LogCapture log = LogCapture.start()) {
      reader.addSplits(List.of(ReaderRig.split("t", 0)));
      reader.pauseOrResumeSplits(List.of("t-0"), List.of());
      nanos.addAndGet(AlignmentWatch.LONG.toNanos());

      await()
          .atMost(EmbeddedBroker.patience())
          .until(
              () ->
                  log.lines().stream()
                      .anyMatch(line -> line.contains("Watermark alignment has held back t-0")));
    } finally {
      reader.close();
    }
  }

  /** It would be left behind at each restart of the job. */
  @Test
  void leaves_nothing_behind_when_the_handler_of_bad_records_does_not_open() {
    KorpseSource<String> source =
        KorpseSource.<String>builder()
            .setBootstrapServers("localhost:1")
            .setTopics("t")
            .setGroupId("leak")
            .setDeserializer(new ClosingSchema())
            .setBadRecordHandler(new FailingHandler())
            .build();
    CLOSED.clear();

    assertThatThrownBy(() -> source.createReader(new FakeReaderContext()))
        .hasMessage("no dead letters");
    assertThat(CLOSED).containsExactly("handler", "schema");
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.contains("leak-0-"));
  }

  private static final class FailingHandler implements BadRecordHandler {
    private static final long serialVersionUID = 1L;

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
      throw new IllegalStateException("no dead letters");
    }

    @Override
    public void handle(BadRecord record) {}

    @Override
    public void close() {
      CLOSED.add("handler");
    }
  }

  private static final class ClosingSchema implements KafkaRecordDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {}

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }

    @Override
    public void close() {
      CLOSED.add("schema");
    }
  }

  private static List<String> logOfNewReader(SourceSettings settings) throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    AbstractAppender appender =
        new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            lines.add(event.getMessage().getFormattedMessage());
          }
        };
    appender.start();
    Logger logger = (Logger) LogManager.getLogger(KorpseReaders.class);
    Level before = logger.getLevel();
    Configurator.setLevel(logger.getName(), Level.INFO);
    logger.addAppender(appender);
    try {
      KorpseReaders.create(
              new FakeReaderContext(),
              KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
              settings)
          .close();
    } finally {
      logger.removeAppender(appender);
      Configurator.setLevel(logger.getName(), before);
    }
    return lines;
  }
}

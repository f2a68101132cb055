package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.enumerator.Subscription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KorpseSourceBuilderTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);

  // ---- what is needed

  @Test
  void needs_brokers() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                KorpseSource.<String>builder()
                    .setTopics("t")
                    .setValueOnlyDeserializer(new SimpleStringSchema())
                    .build())
        .withMessageContaining("setBootstrapServers");
  }

  @Test
  void needs_something_to_read() {
    assertThatIllegalStateException()
        .isThrownBy(() -> KorpseSource.<String>builder().setBootstrapServers("b:1").build())
        .withMessageContaining("setTopics");
  }

  @Test
  void needs_a_deserializer() {
    assertThatIllegalStateException()
        .isThrownBy(
            () -> KorpseSource.<String>builder().setBootstrapServers("b:1").setTopics("t").build())
        .withMessageContaining("setDeserializer");
  }

  @Test
  void takes_one_subscription_only() {
    assertThatIllegalStateException()
        .isThrownBy(() -> valid().setTopicPattern(Pattern.compile("x.*")))
        .withMessageContaining("'t'")
        .withMessageContaining("only one");
  }

  @Test
  void takes_each_kind_of_subscription() {
    assertThat(bare().setTopics(List.of("a", "b")).build().subscription())
        .isEqualTo(Subscription.Topics.of(Set.of("a", "b")));
    assertThat(bare().setPartitions(Set.of(PARTITION)).build().subscription())
        .isEqualTo(new Subscription.Partitions(Set.of(PARTITION)));
    assertThat(bare().setTopicPattern(Pattern.compile("x")).build().subscription().describe())
        .isEqualTo("x");
    assertThat(bare().setKafkaSubscriber(admin -> Set.of()).build().subscription())
        .isInstanceOf(Subscription.Custom.class);
  }

  @Test
  void takes_no_empty_subscription() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bare().setTopics(List.of()))
        .withMessageContaining("At least one topic");
  }

  @Test
  void takes_no_blank_topic_and_no_blank_prefix() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bare().setTopics("a", " "))
        .withMessageContaining("blank");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setClientIdPrefix(" ").build())
        .withMessageContaining("client.id.prefix");
  }

  @Test
  void says_what_is_missing_where_it_is_given_null() {
    assertThatNullPointerException()
        .isThrownBy(() -> bare().setTopics((List<String>) null))
        .withMessageContaining("topic");
    assertThatNullPointerException()
        .isThrownBy(() -> bare().setTopics("a", null))
        .withMessageContaining("topic");
    assertThatNullPointerException()
        .isThrownBy(() -> bare().setTopics((String[]) null))
        .withMessageContaining("topic");
    assertThatNullPointerException()
        .isThrownBy(() -> bare().setPartitions(null))
        .withMessageContaining("partition");
    assertThatNullPointerException()
        .isThrownBy(() -> valid().setDiscoveryInterval(null))
        .withMessageContaining("discovery");
    assertThatNullPointerException()
        .isThrownBy(() -> valid().setGroupId(null))
        .withMessageContaining("group.id");
  }

  // ---- Korpse's own options

  @Test
  void rejects_an_unknown_option_of_its_own_and_lists_those_there_are() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("korpse.split.bufer", "1 mb"))
        .withMessageContaining("korpse.split.bufer")
        .withMessageContaining("korpse.split.buffer.size");
  }

  @Test
  void rejects_a_value_of_the_wrong_type_at_once() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("korpse.order", "random"))
        .withMessageContaining("'random'")
        .withMessageContaining("korpse.order");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("partition.discovery.interval.ms", "often"))
        .withMessageContaining("partition.discovery.interval.ms");
  }

  @ParameterizedTest
  @CsvSource({
    "korpse.split.buffer.size, 0 b",
    "korpse.split.buffer.records, 0",
    "korpse.split.buffer.resume-fraction, 1",
    "korpse.split.buffer.resume-fraction, 0",
    "korpse.reader.buffer.size, 1 mb",
    "korpse.reader.poll.size, 0 b",
    "korpse.reader.consumers, 0",
    "korpse.reader.consumers, 9",
    "korpse.reader.retained-responses, 0",
    "korpse.handover.batches, 0",
    "korpse.handover.records, -1",
    "korpse.handover.size, 0 b",
    "korpse.order.max-hold, 0 s",
    "korpse.discovery.tolerated-failures, -1",
    "korpse.connect.timeout, 0 s",
    "korpse.offsets.timeout, 0 s",
    "korpse.commit.interval, 0 s",
    "korpse.commit.interval, 500 micro",
    "korpse.commit.refresh-interval, 0 s",
    "korpse.lag.interval, 0 s",
    "korpse.lag.interval, 999999 ns",
    "korpse.close.timeout, 0 s",
    "korpse.bad-record.limit, -1",
    "korpse.bad-record.window, 0 s",
    "korpse.on-bad-record, handler",
  })
  void rejects_nonsense_by_key(String key, String value) {
    KorpseSourceBuilder<String> builder = valid().setProperty(key, value);

    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining(key);
  }

  /** It was cut to that without a word. */
  @Test
  void rejects_a_split_buffer_above_a_quarter_of_the_readers_with_both_values() {
    KorpseSourceBuilder<String> builder =
        valid()
            .setReaderBuffer(MemorySize.ofMebiBytes(8))
            .setSplitBuffer(MemorySize.ofMebiBytes(8));

    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining("korpse.split.buffer.size is 8388608")
        .withMessageContaining("korpse.reader.buffer.size of 8388608");
    builder.setReaderBuffer(MemorySize.ofMebiBytes(32)).build();
  }

  @ParameterizedTest
  @CsvSource({"korpse.reader.poll.size", "korpse.handover.size"})
  void rejects_a_part_that_is_larger_than_the_readers_buffer_with_both_values(String key) {
    KorpseSourceBuilder<String> builder =
        valid().setReaderBuffer(MemorySize.ofMebiBytes(8)).setProperty(key, "9 mb");

    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining(key)
        .withMessageContaining("9437184")
        .withMessageContaining("8388608");
  }

  @Test
  void rejects_more_consumers_than_responses_that_they_may_retain() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setReaderConsumers(5).build())
        .withMessage(
            "korpse.reader.consumers is 5, which needs a korpse.reader.retained-responses of at"
                + " least 9, and that is 8; lower the one or raise the other");
    assertThat(valid().setReaderConsumers(4).build().settings().readerConsumers()).isEqualTo(4);
    assertThat(
            valid()
                .setReaderConsumers(5)
                .setRetainedResponses(9)
                .build()
                .settings()
                .readerConsumers())
        .isEqualTo(5);
    // One consumer may have whatever it could have before.
    assertThat(valid().setRetainedResponses(1).build().settings().readerConsumers()).isEqualTo(1);
  }

  @Test
  void rejects_times_below_zero() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setOrderWait(Duration.ofMillis(-5)).build())
        .withMessage("korpse.order.wait is -5 ms; it is at least 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setOrderSlack(Duration.ofMillis(-6)).build())
        .withMessage("korpse.order.slack is -6 ms; it is at least 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setOrderMaxSlack(Duration.ofMillis(-7)).build())
        .withMessage("korpse.order.max-slack is -7 ms; it is at least 0");
  }

  /** They overflowed where they were used, far from the one who had set them. */
  @ParameterizedTest
  @CsvSource({
    "korpse.order.wait, 36501 d",
    "korpse.bad-record.window, 36501 d",
    "korpse.close.timeout, 36501 d",
    "korpse.handover.batches, 2147483647",
  })
  void rejects_what_is_too_large_to_count_with(String key, String value) {
    KorpseSourceBuilder<String> builder = valid().setProperty(key, value);

    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining(key)
        .withMessageContaining("at most");
  }

  @Test
  void a_discovery_interval_may_be_as_long_as_never() {
    assertThat(
            valid()
                .setDiscoveryInterval(ChronoUnit.FOREVER.getDuration())
                .build()
                .settings()
                .discoveryInterval())
        .contains(Duration.ofMillis(Long.MAX_VALUE));
  }

  /** In milliseconds it would be zero, which looks never again. */
  @Test
  void a_discovery_interval_of_less_than_a_millisecond_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setDiscoveryInterval(Duration.ofNanos(500_000)))
        .withMessageContaining("partition.discovery.interval.ms")
        .withMessageContaining("PT0.0005S");
    assertThat(valid().setDiscoveryInterval(Duration.ZERO).build().settings().discoveryInterval())
        .isEmpty();
  }

  @Test
  void every_limit_has_a_method() {
    SourceSettings settings =
        valid()
            .setReaderBuffer(MemorySize.ofMebiBytes(32))
            .setSplitResumeFraction(0.25)
            .setPollSize(MemorySize.ofMebiBytes(3))
            .setRetainedResponses(5)
            .setHandoverBatches(6)
            .setHandoverRecords(700)
            .setHandoverSize(MemorySize.ofMebiBytes(2))
            .setOrderWait(Duration.ofMillis(800))
            .setOrderSlack(Duration.ofMillis(90))
            .setOrderMaxSlack(Duration.ofMinutes(2))
            .setOrderMaxHold(Duration.ofSeconds(7))
            .build()
            .settings();

    assertThat(settings.splitResumeFraction()).isEqualTo(0.25);
    assertThat(settings.pollBytes()).hasValue(3 << 20);
    assertThat(settings.retainedResponses()).isEqualTo(5);
    assertThat(settings.handoverBatches()).isEqualTo(6);
    assertThat(settings.handoverRecords()).isEqualTo(700);
    assertThat(settings.handoverBytes()).hasValue(2 << 20);
    assertThat(settings.orderWait()).hasMillis(800);
    assertThat(settings.orderSlack()).hasMillis(90);
    assertThat(settings.orderMaxSlack()).hasMinutes(2);
    assertThat(settings.maxHold()).hasSeconds(7);
  }

  @Test
  void takes_its_options_by_method_and_by_key_alike() {
    SourceSettings byMethod =
        valid()
            .setSplitBuffer(MemorySize.ofMebiBytes(2))
            .setOrder(RecordOrder.FAIR)
            .build()
            .settings();
    SourceSettings byKey =
        valid()
            .setProperty("korpse.split.buffer.size", "2 mb")
            .setProperty("korpse.order", "fair")
            .build()
            .settings();

    assertThat(byKey.splitBufferBytes()).isEqualTo(byMethod.splitBufferBytes()).isEqualTo(2 << 20);
    assertThat(byKey.order()).isEqualTo(byMethod.order()).isEqualTo(RecordOrder.FAIR);
  }

  @Test
  void a_bad_record_handler_is_its_own_policy() {
    assertThat(valid().setBadRecordHandler(bad -> {}).build().settings().onBadRecord())
        .isEqualTo(BadRecordPolicy.HANDLER);
  }

  // ---- the source itself

  @Test
  void shows_no_secret_in_its_text() {
    KorpseSource<String> source =
        valid()
            .setProperty("sasl.jaas.config", "password=\"hunter2\"")
            .setProperty("ssl.key.password", "hunter2")
            .build();

    assertThat(source.toString() + source.settings()).doesNotContain("hunter2");
  }

  @Test
  void survives_serialization() throws Exception {
    KorpseSource<String> source = valid().setGroupId("g").build();

    KorpseSource<String> copy = InstantiationUtil.clone(source);

    assertThat(copy.settings().groupId()).contains("g");
    assertThat(copy.getProducedType()).isEqualTo(Types.STRING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-5", "NaN", "Infinity"})
  void a_rate_limit_is_above_zero(String rate) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("korpse.rate-limit", rate).build())
        .withMessageContaining("korpse.rate-limit is " + Double.valueOf(rate));
    assertThat(valid().setRateLimit(0.5).build().settings().rateLimit()).hasValue(0.5);
    assertThat(valid().build().settings().rateLimit()).isEmpty();
  }

  @Test
  void a_schema_must_allow_the_fetcher_thread() {
    assertThat(valid().setDeserializeOnFetcher(true).build().settings().deserializeOnFetcher())
        .isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> valid().setDeserializer(new Stuck()).setDeserializeOnFetcher(true).build())
        .withMessageContaining("korpse.deserialize-on-fetcher")
        .withMessageContaining(Stuck.class.getName())
        .withMessageContaining("allowsFetcherThread");
  }

  @Test
  void names_the_schema_that_cannot_be_serialized() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                KorpseSource.<String>builder()
                    .setBootstrapServers("b:1")
                    .setTopics("t")
                    .setDeserializer(new Stuck())
                    .build())
        .withMessageContaining(Stuck.class.getName());
  }

  @Test
  void takes_the_users_code_and_names_what_cannot_be_serialized() {
    KafkaConsumerFactory factory = (config, keys, values) -> null;
    RecordHook hook = (record, drops) -> record;
    RecordSize size = record -> 1;
    assertThat(valid().build().settings().extensions()).isEqualTo(Extensions.NONE);
    assertThat(
            valid()
                .setConsumerFactory(factory)
                .setRecordHook(hook)
                .setRecordSize(size)
                .build()
                .settings()
                .extensions())
        .isEqualTo(new Extensions(factory, hook, size));

    Object stuck = new Object();
    RecordSize unserializable = record -> stuck.hashCode();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setRecordSize(unserializable).build())
        .withMessageContaining(unserializable.getClass().getName());
  }

  @Test
  void a_changed_builder_leaves_what_it_built_as_it_was() {
    KorpseSourceBuilder<String> builder = valid();
    KorpseSource<String> first = builder.build();

    builder.setGroupId("later").setOrder(RecordOrder.FAIR);

    assertThat(first.settings().groupId()).isEmpty();
    assertThat(first.settings().order()).isEqualTo(RecordOrder.EVENT_TIME);
  }

  private static KorpseSourceBuilder<String> bare() {
    return KorpseSource.<String>builder()
        .setBootstrapServers("b:1")
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  static KorpseSourceBuilder<String> valid() {
    return bare().setTopics("t");
  }

  private static final class Stuck implements KafkaRecordDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;
    private final Thread thread = Thread.currentThread();

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {
      out.collect(thread.getName());
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }
}

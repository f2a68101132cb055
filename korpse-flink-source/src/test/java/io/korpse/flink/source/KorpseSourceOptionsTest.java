package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.junit.jupiter.api.Test;

/** A key or a default that changes is noticed by every user: so it is noticed here first. */
final class KorpseSourceOptionsTest {

  @Test
  void keys_and_defaults_are_these() {
    Map<String, String> expected = new TreeMap<>();
    expected.put("client.id.prefix", "null");
    expected.put("commit.offsets.on.checkpoint", "null");
    expected.put("korpse.bad-record.limit", "1000");
    expected.put("korpse.bad-record.window", "PT1M");
    expected.put("korpse.close.timeout", "PT10S");
    expected.put("korpse.commit.interval", "PT5S");
    expected.put("korpse.commit.refresh-interval", "PT1H");
    expected.put("korpse.commit.mode", "null");
    expected.put("korpse.connect.timeout", "PT20S");
    expected.put("korpse.deserialize-on-fetcher", "false");
    expected.put("korpse.discovery.tolerated-failures", "20");
    expected.put("korpse.handover.batches", "4");
    expected.put("korpse.handover.records", "2048");
    expected.put("korpse.handover.size", "null");
    expected.put("korpse.lag.interval", "PT1S");
    expected.put("korpse.offsets.timeout", "PT5M");
    expected.put("korpse.on-bad-record", "FAIL");
    expected.put("korpse.on-data-loss", "FAIL");
    expected.put("korpse.on-topic-removed", "FAIL");
    expected.put("korpse.on-unsubscribed", "DROP");
    expected.put("korpse.order", "EVENT_TIME");
    expected.put("korpse.order.max-hold", "PT10S");
    expected.put("korpse.order.slack", "PT0.5S");
    expected.put("korpse.order.max-slack", "PT10M");
    expected.put("korpse.order.wait", "PT1S");
    expected.put("korpse.rate-limit", "null");
    expected.put("korpse.reader.buffer.size", "null");
    expected.put("korpse.reader.consumers", "1");
    expected.put("korpse.reader.poll.size", "null");
    expected.put("korpse.reader.retained-responses", "8");
    expected.put("korpse.split.buffer.records", "16384");
    expected.put("korpse.split.buffer.resume-fraction", "0.5");
    expected.put("korpse.split.buffer.size", "4 mb");
    expected.put("korpse.tombstones", "AUTO");
    expected.put("partition.discovery.interval.ms", "300000");
    expected.put("register.consumer.metrics", "true");

    Map<String, String> actual = new TreeMap<>();
    for (ConfigOption<?> option : KorpseSourceOptions.all()) {
      actual.put(option.key(), String.valueOf(option.defaultValue()));
    }
    assertThat(actual).isEqualTo(expected);
  }

  @Test
  void every_option_is_listed_and_described() throws Exception {
    List<ConfigOption<?>> declared = new ArrayList<>();
    for (Field field : KorpseSourceOptions.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == ConfigOption.class) {
        declared.add((ConfigOption<?>) field.get(null));
      }
    }

    assertThat(KorpseSourceOptions.all()).containsExactlyInAnyOrderElementsOf(declared);
    for (ConfigOption<?> option : declared) {
      assertThat(new HtmlFormatter().format(option.description()))
          .as(option.key())
          .hasSizeGreaterThan(40);
    }
  }

  @Test
  void the_settings_have_the_defaults_of_the_options() {
    SourceSettings settings = SourceSettings.defaults("b:1");

    assertThat(settings.clientIdPrefix()).isEqualTo("korpse");
    assertThat(settings.readerBufferBytes()).isEmpty();
    assertThat(settings.commitMode()).isEqualTo(CommitMode.DISABLED);
    assertThat(settings.withKafka("group.id", "g").commitMode())
        .isEqualTo(CommitMode.ON_CHECKPOINT);
    assertThat(settings.withKafka("group.id", "g").clientIdPrefix()).isEqualTo("g");
    assertThat(settings.with(KorpseSourceOptions.SPLIT_BUFFER_RECORDS, 5).splitBufferRecords())
        .isEqualTo(5);
  }
}

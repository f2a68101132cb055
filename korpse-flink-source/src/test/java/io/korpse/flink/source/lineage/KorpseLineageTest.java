package io.korpse.flink.source.lineage;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.OffsetsInitializer;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.streaming.api.lineage.LineageDataset;
import org.apache.flink.streaming.api.lineage.SourceLineageVertex;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class KorpseLineageTest {

  @Test
  void names_the_cluster_the_topics_and_the_type() {
    LineageDataset dataset = dataset(source().setTopics("b", "a"));

    assertThat(dataset.namespace()).isEqualTo("kafka://one:9092");
    assertThat(dataset.name()).isEqualTo("a,b");
    assertThat(dataset.facets().get("kafka"))
        .isEqualTo(new KorpseLineage.KafkaFacet(List.of("a", "b"), null, "g"));
    assertThat(dataset.facets().get("type")).isEqualTo(new KorpseLineage.TypeFacet(Types.STRING));
  }

  @Test
  void names_a_pattern_and_the_topics_of_partitions() {
    assertThat(dataset(source().setTopicPattern(Pattern.compile("a.*"))).name()).isEqualTo("a.*");
    assertThat(dataset(source().setPartitions(Set.of(new TopicPartition("x", 3)))).name())
        .isEqualTo("x");
  }

  @Test
  void names_an_own_subscriber_without_topics() {
    LineageDataset dataset = dataset(source().setKafkaSubscriber(admin -> Set.of()));

    assertThat(dataset.name()).isNotBlank();
    assertThat(dataset.facets().get("kafka"))
        .isEqualTo(new KorpseLineage.KafkaFacet(List.of(), null, "g"));
  }

  @Test
  void says_whether_the_source_ends() {
    SourceLineageVertex vertex =
        (SourceLineageVertex)
            source()
                .setTopics("t")
                .setBounded(OffsetsInitializer.latest())
                .build()
                .getLineageVertex();

    assertThat(vertex.boundedness()).isEqualTo(Boundedness.BOUNDED);
  }

  /** W85: listeners are not given passwords. */
  @Test
  void tells_no_configuration() {
    LineageDataset dataset =
        dataset(
            source()
                .setTopics("t")
                .setProperty("sasl.jaas.config", "password=\"hunter2\"")
                .setProperty("ssl.keystore.password", "hunter2"));

    assertThat(dataset.facets().toString()).doesNotContain("hunter2").doesNotContain("jaas");
  }

  private static KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers("one:9092, two:9092")
        .setGroupId("g")
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  private static LineageDataset dataset(KorpseSourceBuilder<String> builder) {
    return builder.build().getLineageVertex().datasets().get(0);
  }
}

package io.korpse.flink.source.lineage;

import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.enumerator.Subscription;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.streaming.api.lineage.LineageDataset;
import org.apache.flink.streaming.api.lineage.LineageDatasetFacet;
import org.apache.flink.streaming.api.lineage.SourceLineageVertex;

/**
 * What lineage listeners are told: the namespace {@code kafka://} with the first broker, one
 * dataset named by the topics or the pattern, and the facets {@code kafka} and {@code type}.
 *
 * <p>Of the configuration only the group id is told: listeners often send what they get to other
 * systems, and passwords are part of it.
 */
public final class KorpseLineage {

  private KorpseLineage() {}

  /** The vertex of a source. */
  public static SourceLineageVertex of(
      SourceSettings settings, Subscription subscription, TypeInformation<?> type) {
    String broker = settings.bootstrapServers().split(",", -1)[0].strip();
    Map<String, LineageDatasetFacet> facets =
        Map.of("kafka", KafkaFacet.of(settings, subscription), "type", new TypeFacet(type));
    LineageDataset dataset = new Dataset("kafka://" + broker, subscription.describe(), facets);
    return new Vertex(settings.boundedness(), List.of(dataset));
  }

  /**
   * The topics and the group.
   *
   * @param topics named topics; empty with a pattern or a custom subscriber
   * @param topicPattern pattern of topics, or null
   * @param groupId consumer group, or null
   */
  public record KafkaFacet(List<String> topics, String topicPattern, String groupId)
      implements LineageDatasetFacet {

    static KafkaFacet of(SourceSettings settings, Subscription subscription) {
      String group = settings.groupId().orElse(null);
      if (subscription instanceof Subscription.Topics named) {
        return new KafkaFacet(List.copyOf(new TreeSet<>(named.names())), null, group);
      } else if (subscription instanceof Subscription.TopicPattern pattern) {
        return new KafkaFacet(List.of(), pattern.pattern().pattern(), group);
      } else if (subscription instanceof Subscription.Partitions partitions) {
        TreeSet<String> topics = new TreeSet<>();
        partitions.partitions().forEach(partition -> topics.add(partition.topic()));
        return new KafkaFacet(List.copyOf(topics), null, group);
      }
      return new KafkaFacet(List.of(), null, group);
    }

    @Override
    public String name() {
      return "kafka";
    }
  }

  /** The type of the elements. */
  public record TypeFacet(TypeInformation<?> type) implements LineageDatasetFacet {
    @Override
    public String name() {
      return "type";
    }
  }

  private record Dataset(String namespace, String name, Map<String, LineageDatasetFacet> facets)
      implements LineageDataset {}

  private record Vertex(Boundedness boundedness, List<LineageDataset> datasets)
      implements SourceLineageVertex {}
}

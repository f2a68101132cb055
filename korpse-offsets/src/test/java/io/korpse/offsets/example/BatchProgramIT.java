package io.korpse.offsets.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class BatchProgramIT {

  private static final TopicPartition P0 = new TopicPartition("orders", 0);
  private static final TopicPartition P1 = new TopicPartition("orders", 1);

  @Test
  void goes_on_where_it_stopped() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start()) {
      broker.createTopic("orders", 2);
      broker.produce(P0, 0, 100);
      broker.produce(P1, 0, 50);
      List<String> seen = new ArrayList<>();
      BatchProgram.run(
          broker.bootstrapServers(),
          "orders",
          "report",
          r -> seen.add(r.partition() + "@" + r.offset()));
      assertThat(seen).hasSize(150).doesNotHaveDuplicates();

      broker.produce(P0, 0, 7);
      List<String> more = new ArrayList<>();
      BatchProgram.run(
          broker.bootstrapServers(),
          "orders",
          "report",
          r -> more.add(r.partition() + "@" + r.offset()));
      assertThat(more).hasSize(7).doesNotContainAnyElementsOf(seen);

      broker.produce(P1, 0, 1);
      assertThatThrownBy(
              () ->
                  BatchProgram.run(
                      broker.bootstrapServers(),
                      "orders",
                      "report",
                      r -> {
                        throw new IllegalStateException("crash");
                      }))
          .hasMessage("crash");
      BatchProgram.run(
          broker.bootstrapServers(),
          "orders",
          "report",
          r -> more.add(r.partition() + "@" + r.offset()));
      assertThat(more).as("the record of the crashed batch is read again").contains("1@50");
    }
  }

  @Test
  void is_the_program_in_the_documentation() throws Exception {
    String source = Files.readString(Path.of("src/test/java/" + path()));
    String body =
        source
            .substring(source.indexOf("  static void run("), source.lastIndexOf('}'))
            .stripTrailing();

    assertThat(Files.readString(Path.of("../docs/offsets.md"))).contains(body.stripIndent());
  }

  private static String path() {
    return BatchProgram.class.getName().replace('.', '/') + ".java";
  }
}

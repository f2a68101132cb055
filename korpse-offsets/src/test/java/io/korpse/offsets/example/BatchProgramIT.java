package io.korpse.offsets.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.GroupOffsets;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
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
  void reads_a_partition_that_is_added_while_it_runs() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start()) {
      broker.createTopic("orders", 1);
      broker.produce(P0, 0, 10);
      List<String> seen = new ArrayList<>();
      BatchProgram.run(
          broker.bootstrapServers(),
          "orders",
          "report",
          r -> {
            if (seen.isEmpty()) {
              broker.increasePartitions("orders", 2);
              broker.produce(P1, 0, 5);
            }
            seen.add(r.partition() + "@" + r.offset());
          });

      assertThat(seen).hasSize(15).doesNotHaveDuplicates().contains("0@9", "1@4");
    }
  }

  @Test
  void is_not_done_while_the_end_of_a_partition_is_unknown() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(2, Map.of());
        Admin admin = broker.admin();
        GroupOffsets observer =
            GroupOffsets.builder(broker.bootstrapServers(), "observer").build()) {
      broker.createTopic("orders", 2);
      admin
          .alterConsumerGroupOffsets("report", Map.of(P0, new OffsetAndMetadata(0)))
          .all()
          .get(60, TimeUnit.SECONDS);
      int coordinator = coordinator(admin);
      int away = 1 - coordinator;
      broker.move(P0, coordinator);
      broker.move(P1, away);
      broker.produce(P0, 0, 10);
      broker.produce(P1, 0, 10);
      List<String> seen = new CopyOnWriteArrayList<>();
      CompletableFuture<Void> run =
          CompletableFuture.runAsync(
              () ->
                  BatchProgram.run(
                      broker.bootstrapServers(),
                      "orders",
                      "report",
                      r -> {
                        if (seen.isEmpty()) {
                          broker.cluster().brokers().get(away).shutdown();
                        }
                        seen.add(r.partition() + "@" + r.offset());
                      }));
      await()
          .atMost(EmbeddedBroker.patience())
          .ignoreExceptions()
          .until(() -> !seen.isEmpty() && !observer.lag("orders").get(P1).end().isKnown());
      await().during(Duration.ofSeconds(5)).until(() -> !run.isDone());
      broker.cluster().brokers().get(away).startup();

      run.get(60, TimeUnit.SECONDS);
      assertThat(seen).hasSize(20).doesNotHaveDuplicates();
    }
  }

  private static int coordinator(Admin admin) throws Exception {
    return admin
        .describeConsumerGroups(List.of("report"))
        .describedGroups()
        .get("report")
        .get(60, TimeUnit.SECONDS)
        .coordinator()
        .id();
  }

  @Test
  void is_the_program_in_the_readme() throws Exception {
    String source = Files.readString(Path.of("src/test/java/" + path()));
    String program = source.substring(source.indexOf("import "));

    assertThat(Files.readString(Path.of("../README.md"))).contains("```java\n" + program + "```");
  }

  private static String path() {
    return BatchProgram.class.getName().replace('.', '/') + ".java";
  }
}

package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.commit.CommitState;
import io.korpse.offsets.commit.OffsetCommitter;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of the error table that one real broker can be made to answer. */
@Timeout(180)
final class CommitFailuresIT {

  private static final Duration PATIENCE = EmbeddedBroker.patience();

  private static EmbeddedBroker broker;
  private static Admin admin;

  private final String group = "g-" + UUID.randomUUID();
  private final String topic = "t-" + UUID.randomUUID();
  private final String otherTopic = "u-" + UUID.randomUUID();
  private final TopicPartition mine = new TopicPartition(topic, 0);
  private final TopicPartition other = new TopicPartition(otherTopic, 0);

  @BeforeAll
  static void startBroker() {
    Awaitility.setDefaultTimeout(EmbeddedBroker.patience());
    broker =
        EmbeddedBroker.start(
            1,
            Map.of(
                "authorizer.class.name",
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found",
                "true",
                "offset.metadata.max.bytes",
                "120"));
    admin = broker.admin();
  }

  @AfterAll
  static void stopBroker() {
    admin.close();
    broker.close();
  }

  @BeforeEach
  void createTopics() {
    broker.createTopic(topic, 1);
    broker.createTopic(otherTopic, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void live_members_block_the_group_and_are_named_until_they_leave(String protocol)
      throws Exception {
    try (OffsetCommitter committer = committer("job")) {
      try (KafkaConsumer<byte[], byte[]> member =
          new KafkaConsumer<>(
              Map.of(
                  "bootstrap.servers",
                  broker.bootstrapServers(),
                  "group.id",
                  group,
                  "client.id",
                  "intruder",
                  "group.protocol",
                  protocol),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer())) {
        member.subscribe(List.of(topic));
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  member.poll(Duration.ofMillis(50));
                  return !member.assignment().isEmpty();
                });
        committer.submit(1, Map.of(mine, Position.of(7)));
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(committer.status().reason()).contains("intruder"));
        assertThat(committer.status().state()).isEqualTo(CommitState.BLOCKED_BY_MEMBERS);
        assertThat(committed()).doesNotContainKey(mine);
      }
      awaitCommitted(mine, 7);
      assertThat(committer.status().state()).isEqualTo(CommitState.COMMITTING);
    }
  }

  @Test
  void a_topic_that_is_deleted_between_two_commits_does_not_hold_up_the_rest() throws Exception {
    try (OffsetCommitter committer = committer("job")) {
      committer.submit(1, Map.of(mine, Position.of(1), other, Position.of(1)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      admin.deleteTopics(List.of(otherTopic)).all().get(30, TimeUnit.SECONDS);
      await().atMost(PATIENCE).until(() -> !admin.listTopics().names().get().contains(otherTopic));

      committer.submit(2, Map.of(mine, Position.of(2), other, Position.of(2)));
      awaitCommitted(mine, 2);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(committer.status().refused()).containsOnlyKeys(other));
      assertThat(committer.flush(Duration.ofHours(1))).as("gives up on what is gone").isFalse();
      committer.submit(3, Map.of(mine, Position.of(3), other, Position.of(2)));
      awaitCommitted(mine, 3);
    }
  }

  @Test
  void a_right_on_a_topic_that_is_withdrawn_and_given_back() throws Exception {
    AclBinding denial = deny(ResourceType.TOPIC, otherTopic);
    try (OffsetCommitter committer = committer("job")) {
      committer.submit(1, Map.of(mine, Position.of(1), other, Position.of(1)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      admin.createAcls(List.of(denial)).all().get(30, TimeUnit.SECONDS);
      for (int id = 2; !committer.status().refused().containsKey(other); id++) {
        committer.submit(id, Map.of(mine, Position.of(id), other, Position.of(id)));
        committer.flush(Duration.ofMillis(100));
      }
      assertThat(committer.status().refused()).containsEntry(other, "TOPIC_AUTHORIZATION_FAILED");
      committer.submit(1_000, Map.of(mine, Position.of(1_000), other, Position.of(1_000)));
      awaitCommitted(mine, 1_000);
      admin.deleteAcls(List.of(denial.toFilter())).all().get(30, TimeUnit.SECONDS);

      awaitCommitted(other, 1_000);
      await().atMost(PATIENCE).until(() -> committer.status().refused().isEmpty());
    }
  }

  @Test
  void a_topic_without_the_right_to_read_what_the_group_holds_waits_and_the_rest_does_not()
      throws Exception {
    AclBinding denial = deny(ResourceType.TOPIC, otherTopic);
    admin.createAcls(List.of(denial)).all().get(30, TimeUnit.SECONDS);
    awaitDenied();
    try (OffsetCommitter committer = committer("job")) {
      committer.submit(1, Map.of(mine, Position.of(1), other, Position.of(1)));
      awaitCommitted(mine, 1);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(committer.status().refused()).containsEntry(other, "UNREADABLE"));
      admin.deleteAcls(List.of(denial.toFilter())).all().get(30, TimeUnit.SECONDS);

      awaitCommitted(other, 1);
      await().atMost(PATIENCE).until(() -> committer.status().refused().isEmpty());
    }
  }

  /** Rights reach the broker some time after they are set. */
  private void awaitDenied() {
    try (OffsetCommitter probe = committer("probe")) {
      long[] offset = {1};
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                probe.submit(-1, Map.of(other, Position.of(offset[0]++)));
                probe.flush(Duration.ofMillis(100));
                return probe.status().refused().containsKey(other);
              });
    }
  }

  @Test
  void a_right_on_the_group_that_is_withdrawn_and_given_back() throws Exception {
    AclBinding denial = deny(ResourceType.GROUP, group);
    try (OffsetCommitter committer = committer("job")) {
      committer.submit(1, Map.of(mine, Position.of(1)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      admin.createAcls(List.of(denial)).all().get(30, TimeUnit.SECONDS);
      for (int id = 2; committer.status().state() != CommitState.SUSPENDED; id++) {
        committer.submit(id, Map.of(mine, Position.of(id)));
        committer.flush(Duration.ofMillis(100));
      }
      assertThat(committer.status().reason()).contains("GROUP_AUTHORIZATION_FAILED");
      committer.submit(1_000, Map.of(mine, Position.of(1_000)));
      admin.deleteAcls(List.of(denial.toFilter())).all().get(30, TimeUnit.SECONDS);

      awaitCommitted(mine, 1_000);
      assertThat(committer.status().state()).isEqualTo(CommitState.COMMITTING);
    }
  }

  @Test
  void metadata_over_the_limit_is_trimmed_counted_and_does_not_stop_the_commit() throws Exception {
    admin
        .alterConsumerGroupOffsets(group, Map.of(mine, new OffsetAndMetadata(1, "x".repeat(60))))
        .all()
        .get(30, TimeUnit.SECONDS);
    try (OffsetCommitter committer = committer("job".repeat(20))) {
      committer.submit(1, Map.of(mine, Position.of(2), other, Position.of(2)));

      assertThat(committer.flush(PATIENCE)).isTrue();
      assertThat(committer.status().metadataTrimmed()).isPositive();
      assertThat(committed().get(mine).offset()).isEqualTo(2);
      assertThat(committed().get(mine).metadata()).endsWith(" kept@1=" + "x".repeat(60));
      assertThat(committed().get(other).metadata()).startsWith("korpse/1 job=");
    }
  }

  @Test
  void a_group_that_was_set_back_is_corrected() throws Exception {
    try (OffsetCommitter committer = committer("job")) {
      committer.submit(1, Map.of(mine, Position.of(10)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      admin
          .alterConsumerGroupOffsets(group, Map.of(mine, new OffsetAndMetadata(3)))
          .all()
          .get(30, TimeUnit.SECONDS);

      awaitCommitted(mine, 10);
      await().until(() -> committer.status().stepsBack() == 1);
    }
  }

  @Test
  void commits_carry_the_leader_epoch() throws Exception {
    try (OffsetCommitter committer = committer("job")) {
      committer.submit(1, Map.of(mine, new Position(10, 0)));
      assertThat(committer.flush(PATIENCE)).isTrue();

      assertThat(committed().get(mine).leaderEpoch()).contains(0);
    }
  }

  @Test
  void the_threads_of_the_client_end_with_the_committer() {
    Set<Thread> before = adminThreads();
    OffsetCommitter committer = committer("job");
    committer.submit(1, Map.of(mine, Position.of(10)));
    assertThat(committer.flush(PATIENCE)).isTrue();
    assertThat(adminThreads()).hasSizeGreaterThan(before.size());
    committer.close();

    assertThat(adminThreads()).isEqualTo(before);
  }

  private OffsetCommitter committer(String identity) {
    return OffsetCommitter.builder()
        .admin(broker::admin)
        .groupId(group)
        .identity(identity)
        .probeInterval(Duration.ofMillis(500))
        .verifyInterval(Duration.ofMillis(300))
        .build();
  }

  private static AclBinding deny(ResourceType type, String name) {
    return new AclBinding(
        new ResourcePattern(type, name, PatternType.LITERAL),
        new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.READ, AclPermissionType.DENY));
  }

  private Map<TopicPartition, OffsetAndMetadata> committed() throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get(30, TimeUnit.SECONDS);
  }

  private void awaitCommitted(TopicPartition partition, long offset) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(committed()).containsKey(partition);
              assertThat(committed().get(partition).offset()).isEqualTo(offset);
            });
  }

  private static Set<Thread> adminThreads() {
    List<Thread> threads = new ArrayList<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(thread -> !thread.getName().startsWith("kafka-admin-client-thread"));
    return Set.copyOf(threads);
  }
}

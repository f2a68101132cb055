package io.korpse.flink.source;

import static io.korpse.flink.source.KorpseSourceBuilderTest.valid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.korpse.offsets.OffsetRule;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Group, commits, starting and stopping offsets, and discovery, as the builder takes them. */
final class BuilderOffsetsTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);

  @Test
  void commits_on_checkpoints_with_a_group_and_not_without() {
    assertThat(valid().setGroupId("g").build().settings().commitMode())
        .isEqualTo(CommitMode.ON_CHECKPOINT);
    assertThat(valid().build().settings().commitMode()).isEqualTo(CommitMode.DISABLED);
  }

  @Test
  void takes_the_peers_switch_for_commits() {
    assertThat(
            valid()
                .setGroupId("g")
                .setProperty("commit.offsets.on.checkpoint", "false")
                .build()
                .settings()
                .commitMode())
        .isEqualTo(CommitMode.DISABLED);
  }

  @Test
  void asks_for_a_group_when_commits_are_asked_for() {
    assertThatIllegalStateException()
        .isThrownBy(() -> valid().setProperty("commit.offsets.on.checkpoint", "true").build())
        .withMessageContaining("setGroupId");
    assertThatIllegalStateException()
        .isThrownBy(() -> valid().setCommitMode(CommitMode.PERIODIC).build())
        .withMessageContaining("setGroupId");
  }

  @Test
  void rejects_contradicting_commit_settings() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                valid()
                    .setGroupId("g")
                    .setCommitMode(CommitMode.PERIODIC)
                    .setProperty("commit.offsets.on.checkpoint", "true")
                    .build())
        .withMessageContaining("contradicts");
  }

  @Test
  void rejects_kafkas_own_commits_and_names_the_alternative() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("enable.auto.commit", "true").build())
        .withMessageContaining("PERIODIC");
  }

  @Test
  void committed_offsets_need_a_group() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setStartingOffsets(OffsetsInitializer.committedOffsets()).build())
        .withMessageContaining("setGroupId");
  }

  /** W14: without a group, partitions that are not in the map have the given end of the log. */
  @Test
  void explicit_offsets_need_no_group() {
    OffsetsInitializer offsets = OffsetsInitializer.offsets(Map.of(PARTITION, 5L));

    assertThat(valid().setStartingOffsets(offsets).build().rules().initial())
        .isEqualTo(OffsetRule.explicit(Map.of(PARTITION, 5L), OffsetRule.earliest()));
    assertThat(valid().setGroupId("g").setStartingOffsets(offsets).build().rules().initial())
        .isEqualTo(
            OffsetRule.explicit(
                Map.of(PARTITION, 5L), OffsetRule.committed(OffsetRule.earliest())));
  }

  @Test
  void starts_and_new_partitions_start_at_the_log_start_by_default() {
    assertThat(valid().build().rules().initial()).isEqualTo(OffsetRule.earliest());
    assertThat(valid().build().rules().later()).isEqualTo(OffsetRule.earliest());
    assertThat(valid().build().rules().stop()).isNull();
  }

  @Test
  void new_partitions_can_start_elsewhere() {
    assertThat(
            valid()
                .setNewPartitionOffsets(OffsetsInitializer.duration(Duration.ofHours(1)))
                .build()
                .rules()
                .later())
        .isEqualTo(OffsetRule.before(Duration.ofHours(1)));
  }

  /** W30. */
  @Test
  void is_unbounded_and_looks_for_partitions_every_five_minutes_by_default() {
    KorpseSource<String> source = valid().build();

    assertThat(source.getBoundedness()).isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
    assertThat(source.settings().discoveryInterval()).contains(Duration.ofMinutes(5));
  }

  @Test
  void a_bounded_source_does_not_look_for_partitions_again() {
    KorpseSource<String> source =
        valid()
            .setBounded(OffsetsInitializer.latest())
            .setDiscoveryInterval(Duration.ofSeconds(1))
            .build();

    assertThat(source.getBoundedness()).isEqualTo(Boundedness.BOUNDED);
    assertThat(source.settings().discoveryInterval()).isEmpty();
    assertThat(source.rules().stop()).isEqualTo(OffsetRule.latest());
  }

  @ParameterizedTest
  @CsvSource({"0", "-1"})
  void discovery_can_be_switched_off_in_the_peers_way(String interval) {
    assertThat(
            valid()
                .setProperty("partition.discovery.interval.ms", interval)
                .build()
                .settings()
                .discoveryInterval())
        .isEmpty();
  }
}

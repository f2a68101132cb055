package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class SyncCommitterTest {

  private static final TopicPartition P0 = new TopicPartition("t", 0);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final FakeGroup group = new FakeGroup();
  private final SyncCommitter committer =
      new SyncCommitter(group, "g", "batch", TIMEOUT, Clock.systemUTC());

  @Test
  void sends_what_it_was_told_also_when_it_sent_the_same_before() {
    assertThat(commit(10)).isEmpty();
    group.offsets.put(P0, new OffsetAndMetadata(0));

    assertThat(commit(10)).isEmpty();
    assertThat(group.offset(P0)).isEqualTo(10);
  }

  @Test
  void goes_back_when_told_so() {
    assertThat(commit(10)).isEmpty();
    assertThat(commit(3)).isEmpty();

    assertThat(group.offset(P0)).isEqualTo(3);
  }

  @Test
  void keeps_what_others_have_put_into_the_metadata_since_the_last_call() {
    assertThat(commit(10)).isEmpty();
    group.offsets.put(P0, new OffsetAndMetadata(10, "theirs"));
    assertThat(commit(11)).isEmpty();

    assertThat(group.metadata(P0)).endsWith("kept@10=theirs");
  }

  private Map<TopicPartition, String> commit(long offset) {
    return committer.commit(Map.of(P0, Position.of(offset)), TIMEOUT);
  }
}

package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.commit.CommitMetadata.Detail;
import io.korpse.offsets.commit.CommitMetadata.Foreign;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.junit.jupiter.api.Test;

final class CommitMetadataTest {

  private static final long NOON = 1_767_268_800_000L;

  @Test
  void says_which_job_and_checkpoint_wrote_it_and_when() {
    assertThat(CommitMetadata.compose("orders#2", 17, NOON, null, Detail.FULL))
        .isEqualTo("korpse/1 job=orders#2 checkpoint=17 at=2026-01-01T12:00:00Z");
  }

  @Test
  void names_no_checkpoint_when_there_is_none() {
    assertThat(CommitMetadata.compose("orders", -1, NOON, null, Detail.FULL))
        .isEqualTo("korpse/1 job=orders at=2026-01-01T12:00:00Z");
  }

  @Test
  void takes_its_own_for_nothing_foreign() {
    String own = CommitMetadata.compose("orders", 1, NOON, null, Detail.FULL);

    assertThat(CommitMetadata.foreign(own, 10)).isNull();
    assertThat(CommitMetadata.foreign("", 10)).isNull();
  }

  @Test
  void writes_the_stream_time_of_kafka_streams_back_unchanged() {
    for (byte magic : new byte[] {1, 2}) {
      byte[] payload = ByteBuffer.allocate(9).put(magic).putLong(NOON).array();
      String streams = Base64.getEncoder().encodeToString(payload);
      Foreign foreign = CommitMetadata.foreign(streams, 10);

      assertThat(CommitMetadata.compose("orders", 1, NOON, foreign, Detail.FULL))
          .isEqualTo(streams);
    }
  }

  @Test
  void carries_the_map_of_a_parallel_consumer_with_the_offset_that_it_belongs_to() {
    String payload = Base64.getEncoder().encodeToString(new byte[] {'l', 0, 5, 1, 0, 1});
    String first =
        CommitMetadata.compose("orders", 1, NOON, CommitMetadata.foreign(payload, 10), Detail.FULL);
    assertThat(first).startsWith("korpse/1 job=orders").endsWith(" kept@10=" + payload);

    String second =
        CommitMetadata.compose("orders", 2, NOON, CommitMetadata.foreign(first, 99), Detail.FULL);
    assertThat(second).as("through any number of commits").endsWith(" kept@10=" + payload);
  }

  @Test
  void carries_any_other_text_whatever_is_in_it() {
    String text = "host=a kept@7=b = c";
    String carried =
        CommitMetadata.compose("orders", 1, NOON, CommitMetadata.foreign(text, 3), Detail.FULL);

    assertThat(CommitMetadata.foreign(carried, 50)).isEqualTo(new Foreign(text, 3, false));
  }

  @Test
  void gives_up_its_own_part_first() {
    Foreign foreign = new Foreign("text", 3, false);

    assertThat(CommitMetadata.compose("orders", 1, NOON, foreign, Detail.KEPT))
        .isEqualTo("korpse/1  kept@3=text");
    assertThat(CommitMetadata.foreign("korpse/1  kept@3=text", 9)).isEqualTo(foreign);
    assertThat(CommitMetadata.compose("orders", 1, NOON, foreign, Detail.OWN))
        .doesNotContain("text");
    assertThat(CommitMetadata.compose("orders", 1, NOON, foreign, Detail.NONE)).isEmpty();
    assertThat(Detail.FULL.less().less().less().less()).isEqualTo(Detail.NONE);
  }
}

package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class OffsetRuleTest {

  private static final TopicPartition A = new TopicPartition("t", 0);

  @Test
  void survives_serialization() throws Exception {
    OffsetRule rule =
        OffsetRule.explicit(
            Map.of(A, 7L), OffsetRule.committed(OffsetRule.before(Duration.ofHours(1))));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(rule);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(in.readObject()).isEqualTo(rule);
    }
  }

  @Test
  void knows_whether_a_group_is_needed_anywhere_in_the_chain() {
    assertThat(OffsetRule.latest().needsGroup()).isFalse();
    assertThat(OffsetRule.committed().needsGroup()).isTrue();
    assertThat(OffsetRule.explicit(Map.of(), OffsetRule.committed()).needsGroup()).isTrue();
    assertThat(OffsetRule.explicit(Map.of(), OffsetRule.earliest()).needsGroup()).isFalse();
  }

  @Test
  void rejects_what_cannot_be_meant() {
    assertThatThrownBy(() -> OffsetRule.timestamp(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> OffsetRule.before(Duration.ofSeconds(-1))).hasMessageContaining("-1");
    assertThatThrownBy(() -> OffsetRule.explicit(Map.of(A, -2L), OffsetRule.latest()))
        .hasMessageContaining("t-0")
        .hasMessageContaining("-2");
  }

  @Test
  void reads_well_in_a_log() {
    assertThat(
            OffsetRule.explicit(Map.of(A, 1L), OffsetRule.committed(OffsetRule.earliest()))
                .toString())
        .isEqualTo("explicit offsets of 1 partitions, else committed, else earliest");
  }
}

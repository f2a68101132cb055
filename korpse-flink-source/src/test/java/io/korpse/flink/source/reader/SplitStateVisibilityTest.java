package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of reporters and committers read what the task thread writes. */
@Timeout(60)
final class SplitStateVisibilityTest {

  private static final int LAST = 5_000_000;

  /** W56. */
  @Test
  void another_thread_sees_every_position_in_the_end_and_none_goes_back() {
    KorpseSplitState state = new KorpseSplitState(ReaderRig.split("t", 0));
    CompletableFuture<Boolean> forward =
        CompletableFuture.supplyAsync(
            () -> {
              long seen = 0;
              boolean neverBack = true;
              while (seen < LAST) {
                long now = state.offset();
                neverBack &= now >= seen;
                seen = now;
              }
              return neverBack;
            });

    for (int offset = 1; offset <= LAST; offset++) {
      state.moveTo(offset, 0);
    }

    assertThat(forward.join()).isTrue();
  }
}

package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.ProxyControl;
import io.korpse.flink.source.reader.proxy.SplitWishes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;

/**
 * Tells each wish to the proxy that reads the split. Alignment may speak of splits that have ended,
 * which are nowhere. Task thread.
 */
final class LaneWishes implements SplitWishes {

  private final SplitSpread spread;
  private final List<ProxyControl> controls;
  private final IntConsumer left;

  /**
   * Wishes of a reader.
   *
   * @param left told of which consumer a split has left
   */
  LaneWishes(SplitSpread spread, List<ProxyControl> controls, IntConsumer left) {
    this.spread = spread;
    this.controls = List.copyOf(controls);
    this.left = left;
  }

  @Override
  public void pauseOrResume(Collection<String> pause, Collection<String> resume) {
    for (int lane = 0; lane < controls.size(); lane++) {
      List<String> paused = of(lane, pause);
      List<String> resumed = of(lane, resume);
      if (!paused.isEmpty() || !resumed.isEmpty()) {
        controls.get(lane).pauseOrResume(paused, resumed);
      }
    }
  }

  private List<String> of(int lane, Collection<String> splitIds) {
    List<String> own = new ArrayList<>();
    for (String splitId : splitIds) {
      if (spread.laneOf(splitId) == lane) {
        own.add(splitId);
      }
    }
    return own;
  }

  @Override
  public void finish(String splitId) {
    tell(splitId, (control, lane) -> control.finish(splitId));
  }

  @Override
  public void stopAt(String splitId, long stopOffset) {
    tell(splitId, (control, lane) -> control.stopAt(splitId, stopOffset));
  }

  @Override
  public void forget(String splitId) {
    tell(
        splitId,
        (control, lane) -> {
          control.forget(splitId);
          left.accept(lane);
        });
    spread.remove(splitId);
  }

  private void tell(String splitId, ObjIntConsumer<ProxyControl> wish) {
    int lane = spread.laneOf(splitId);
    if (lane != SplitSpread.NOWHERE) {
      wish.accept(controls.get(lane), lane);
    }
  }
}

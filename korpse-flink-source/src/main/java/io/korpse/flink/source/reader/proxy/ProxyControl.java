package io.korpse.flink.source.reader.proxy;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What the reader wants of its proxy, kept by split id.
 *
 * <p>A wish may come before the split has reached the proxy, or while a new proxy replaces an idle
 * one, and is never lost: the wanted state stays here, and a proxy looks it up when a split is
 * added. Belongs to the reader; thread-safe.
 */
public final class ProxyControl {

  /** A new end of a split. */
  record Stop(String splitId, long offset) {}

  private final Set<String> held = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<String> changed = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> finish = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Stop> stops = new ConcurrentLinkedQueue<>();
  private volatile Runnable wake = () -> {};

  /** Watermark alignment holds these splits back, and no longer those. Task thread. */
  public void pauseOrResume(Collection<String> pause, Collection<String> resume) {
    held.addAll(pause);
    resume.forEach(held::remove);
    changed.addAll(pause);
    changed.addAll(resume);
    wake.run();
  }

  /** The split is at its end whatever the broker still holds; reported as finished once. */
  public void finish(String splitId) {
    finish.add(splitId);
    wake.run();
  }

  /** The split has an end now, or an earlier one. Task thread. */
  public void stopAt(String splitId, long stopOffset) {
    stops.add(new Stop(splitId, stopOffset));
    wake.run();
  }

  /** The split left the reader: nothing is wanted of it any more. Task thread. */
  public void forget(String splitId) {
    held.remove(splitId);
  }

  boolean isHeld(String splitId) {
    return held.contains(splitId);
  }

  String pollChanged() {
    return changed.poll();
  }

  String pollFinish() {
    return finish.poll();
  }

  Stop pollStop() {
    return stops.poll();
  }

  synchronized void attach(Runnable newWake) {
    wake = newWake;
  }

  /** Ends an attachment, unless another proxy has taken its place already. */
  synchronized void detach(Runnable oldWake) {
    if (wake == oldWake) {
      wake = () -> {};
    }
  }
}

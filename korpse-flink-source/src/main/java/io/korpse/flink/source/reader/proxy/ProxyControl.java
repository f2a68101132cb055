package io.korpse.flink.source.reader.proxy;

import java.util.Collection;
import java.util.Map;
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
public final class ProxyControl implements SplitWishes {

  private final Set<String> held = ConcurrentHashMap.newKeySet();
  private final Set<String> ended = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> stops = new ConcurrentHashMap<>();

  /** Splits of which something else is wanted; what that is, the wanted state says. */
  private final ConcurrentLinkedQueue<String> changed = new ConcurrentLinkedQueue<>();

  private volatile Runnable wake = () -> {};

  @Override
  public void pauseOrResume(Collection<String> pause, Collection<String> resume) {
    held.addAll(pause);
    resume.forEach(held::remove);
    changed.addAll(pause);
    changed.addAll(resume);
    wake.run();
  }

  @Override
  public void finish(String splitId) {
    ended.add(splitId);
    changed.add(splitId);
    wake.run();
  }

  @Override
  public void stopAt(String splitId, long stopOffset) {
    stops.merge(splitId, stopOffset, Math::min);
    changed.add(splitId);
    wake.run();
  }

  @Override
  public void forget(String splitId) {
    held.remove(splitId);
    ended.remove(splitId);
    stops.remove(splitId);
  }

  boolean isHeld(String splitId) {
    return held.contains(splitId);
  }

  boolean isEnded(String splitId) {
    return ended.contains(splitId);
  }

  /** The end that was wanted since the split was given; {@link Long#MAX_VALUE} for none. */
  long stopOffset(String splitId) {
    return stops.getOrDefault(splitId, Long.MAX_VALUE);
  }

  String pollChanged() {
    return changed.poll();
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

  @Override
  public String toString() {
    return "ProxyControl[held " + held + ", ended " + ended + ", stops " + stops + "]";
  }
}

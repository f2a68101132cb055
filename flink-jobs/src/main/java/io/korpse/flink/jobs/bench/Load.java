package io.korpse.flink.jobs.bench;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Produces at a steady rate to all partitions in turn, on a thread of its own, until closed. A
 * value begins with the microsecond at which it was sent.
 */
final class Load implements AutoCloseable {

  private final Filler filler;
  private final int partitions;
  private final int size;
  private final Pace pace;
  private final Thread thread = new Thread(this::produce, "load");
  private volatile boolean closed;
  private volatile Exception failure;

  private Load(Filler filler, int partitions, int size, double perSecond) {
    this.filler = filler;
    this.partitions = partitions;
    this.size = size;
    this.pace = new Pace(perSecond);
  }

  static Load start(Host host, String topic, Settings settings, double perSecond) {
    Load load =
        new Load(
            Filler.prompt(host, topic, settings),
            settings.number(Option.PARTITIONS),
            settings.number(Option.SIZE),
            perSecond);
    load.thread.setDaemon(true);
    load.thread.start();
    return load;
  }

  /** Microseconds since 1970 by the clock that all processes of this machine share. */
  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  static long sentMicros(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  private void produce() {
    try {
      for (long i = 0; !closed; i++) {
        pace.await();
        byte[] value = new byte[size];
        long now = nowMicros();
        ByteBuffer.wrap(value).putLong(now);
        filler.add((int) (i % partitions), now / 1000, value);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /** Fails if production did. */
  void check() {
    if (failure != null) {
      throw new IllegalStateException("The load broke off", failure);
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    filler.close();
  }
}

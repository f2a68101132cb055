package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.Random;

/**
 * One world to simulate, drawn from a seed: sizes, limits, and what goes wrong in it.
 *
 * @param seed what it was drawn from
 * @param partitions partitions of the topic
 * @param nodes brokers
 * @param eventTime order of the proxy
 * @param limits bounds of the proxy
 * @param consumer settings of the consumer, but for max.poll.records
 * @param maxPollRecords first max.poll.records
 * @param maxHold longest hold
 * @param appendMillis mean time between two batches of the producer
 * @param chaos how long things happen, in virtual time
 * @param largestValue largest usual value
 * @param hugeValues whether a value may be larger than a split's buffer
 * @param sinkPauseMicros longest pause of the sink after each bite
 * @param alignment whether splits are held back
 * @param failures whether polls fail
 * @param losses whether retention passes positions
 * @param leaderless whether leaders go
 * @param bounded whether splits end
 * @param endings whether splits are ended early by the reader
 */
record SimSettings(
    long seed,
    int partitions,
    int nodes,
    boolean eventTime,
    ProxyLimits limits,
    SimConsumerConfig consumer,
    int maxPollRecords,
    Duration maxHold,
    int appendMillis,
    Duration chaos,
    int largestValue,
    boolean hugeValues,
    int sinkPauseMicros,
    boolean alignment,
    boolean failures,
    boolean losses,
    boolean leaderless,
    boolean bounded,
    boolean endings) {

  static final Duration ORDER_WAIT = Duration.ofSeconds(1);
  static final long ORDER_SLACK_MILLIS = 50;
  static final int HUGE_VALUE = 40_000;

  /** Whether some records have neither a key nor a value, which a poll's quota cannot see. */
  boolean bareRecords() {
    return seed % 4 == 0;
  }

  static SimSettings of(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    int partitions = 1 + random.nextInt(random.nextInt(4) == 0 ? 24 : 6);
    long high = 8_000L + random.nextInt(40_000);
    int highRecords = 20 + random.nextInt(400);
    long reader = high + random.nextInt((int) (high * partitions));
    ProxyLimits limits =
        new ProxyLimits(
            high,
            high / 2,
            highRecords,
            highRecords / 2,
            reader,
            4_000 + random.nextInt(16_000),
            4 + random.nextInt(60),
            2_000 + random.nextInt(12_000),
            2 + random.nextInt(5),
            2 + random.nextInt(6),
            Duration.ofMillis(100));
    SimConsumerConfig consumer =
        new SimConsumerConfig(
            500,
            8_000 + random.nextInt(60_000),
            4_000 + random.nextInt(20_000),
            20 + random.nextInt(200),
            random.nextInt(3) == 0);
    return new SimSettings(
        seed,
        partitions,
        1 + random.nextInt(3),
        random.nextInt(3) > 0,
        limits,
        consumer,
        5 + random.nextInt(200),
        Duration.ofMillis(500 + random.nextInt(3_000)),
        1 + random.nextInt(30),
        seed % 100 == 0 ? Duration.ofSeconds(40) : Duration.ofSeconds(1 + random.nextInt(4)),
        50 + random.nextInt(3_000),
        random.nextInt(4) == 0,
        random.nextInt(3) == 0 ? 40_000 : 3_000,
        random.nextBoolean(),
        random.nextInt(4) == 0,
        random.nextInt(4) == 0,
        random.nextInt(4) == 0,
        random.nextInt(3) == 0,
        random.nextInt(4) == 0);
  }

  /**
   * A world in which the sink is too slow for what is produced and the proxy's buffers stay full;
   * nothing else goes wrong.
   */
  static SimSettings backlog(long seed, boolean eventTime, boolean alignment) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 2);
    int partitions = 4 + random.nextInt(3);
    long high = 12_000L + random.nextInt(12_000);
    ProxyLimits limits =
        new ProxyLimits(
            high,
            high / 2,
            40,
            20,
            alignment ? high + high / 2 : high * partitions,
            8_000,
            4,
            2_000,
            2,
            4,
            Duration.ofMillis(100));
    return new SimSettings(
        seed,
        partitions,
        1,
        eventTime,
        limits,
        new SimConsumerConfig(500, 20_000, 8_000, 50, false),
        alignment ? 40 : 1,
        Duration.ofSeconds(2),
        4,
        Duration.ofSeconds(25),
        1_000,
        false,
        20_000,
        alignment,
        false,
        false,
        false,
        false,
        false);
  }

  /**
   * A world with so many splits, some with wrong clocks, that the reader's budget is always short.
   */
  static SimSettings crowd(long seed) {
    ProxyLimits limits =
        new ProxyLimits(
            8_000, 4_000, 100, 50, 24_000, 4_000, 40, 2_000, 4, 4, Duration.ofMillis(100));
    return new SimSettings(
        seed,
        40,
        2,
        false,
        limits,
        new SimConsumerConfig(500, 16_000, 4_000, 50, false),
        40,
        Duration.ofSeconds(2),
        2,
        Duration.ofSeconds(25),
        1_000,
        false,
        20_000,
        false,
        false,
        false,
        false,
        false,
        false);
  }
}

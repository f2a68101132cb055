package io.korpse.offsets.lag;

import io.korpse.testing.ManualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/** A tracker with clocks and ends of the test, and a position at 40. */
abstract class LagFixture {

  static final TopicPartition A = new TopicPartition("t", 0);
  static final TopicPartition B = new TopicPartition("t", 1);
  static final TopicPartition OTHER = new TopicPartition("u", 0);
  static final Duration SECOND = Duration.ofSeconds(1);

  final ManualClock clock = new ManualClock(1_000_000);
  final ManualClock wallClock = new ManualClock(1_700_000_000_000L);
  final FakeEnds ends = new FakeEnds();
  final AtomicLong position = new AtomicLong(40);
  LagTracker tracker = builder().build(() -> ends);

  LagTracker.Builder builder() {
    return LagTracker.builder().clock(clock).wallClock(wallClock);
  }
}

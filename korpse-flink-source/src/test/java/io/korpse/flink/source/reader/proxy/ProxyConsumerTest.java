package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ProxyConsumerTest {

  private final List<String> seeks = new ArrayList<>();
  private final PauseLedger ledger = new PauseLedger(new PauseTimes());
  private final ProxyConsumer consumer =
      new ProxyConsumer(
          (overrides, keys, values) -> new RecordingConsumer(),
          new PollQuota(true, true),
          ledger,
          new FetchAhead(),
          8,
          new ProxyStats());
  private final SplitBuffer split = Buffers.empty(0);

  /** Without an epoch the client looks for no truncation, and read on in the new log. */
  @Test
  void gives_the_epoch_again_to_what_is_paused_where_it_was_sent_back_to() {
    startAndReadOne();
    consumer.seekBack(split);
    pause();

    assertThat(seeks).containsExactly("1 without epoch", "1 in epoch " + Buffers.EPOCH);
  }

  @Test
  void seeks_nothing_that_has_read_on_since_it_was_sent_back() {
    startAndReadOne();
    consumer.seekBack(split);
    Buffers.add(split, 200);
    pause();

    assertThat(seeks).containsExactly("1 without epoch");
  }

  private void startAndReadOne() {
    consumer.add(List.of(split), 500);
    Buffers.add(split, 100);
    seeks.clear();
  }

  private void pause() {
    ledger.add(split.pause, PauseReason.READER_FULL, 0);
    consumer.applyPauses();
  }

  private final class RecordingConsumer extends MockConsumer<byte[], byte[]> {

    RecordingConsumer() {
      super("earliest");
    }

    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
      seeks.add(offset + " without epoch");
    }

    @Override
    public synchronized void seek(TopicPartition partition, OffsetAndMetadata to) {
      seeks.add(to.offset() + to.leaderEpoch().map(e -> " in epoch " + e).orElse(" without epoch"));
    }
  }
}

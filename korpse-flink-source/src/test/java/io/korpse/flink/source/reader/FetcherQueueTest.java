package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.reader.proxy.ProxyControl;
import java.time.Clock;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.SourceReaderOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class FetcherQueueTest {

  /** W71: the bound is in bytes, so the queue must take every batch that the bytes allow. */
  @Test
  void takes_all_batches_that_may_be_out_whatever_capacity_is_configured() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(SourceReaderOptions.ELEMENT_QUEUE_CAPACITY, 1);
    int batches = 4;
    KorpseFetcherManager fetcher =
        new KorpseFetcherManager(
            () -> {
              throw new IllegalStateException("no split, no reader");
            },
            configuration,
            batches,
            new ProxyControl(),
            new SplitStates(Clock.systemUTC()),
            partition -> true);

    for (int batch = 0; batch < batches; batch++) {
      fetcher
          .getQueue()
          .put(0, new RecordsBySplits.Builder<ConsumerRecord<byte[], byte[]>>().build());
    }

    assertThat(fetcher.getQueue().size()).isEqualTo(batches);
    assertThat(configuration.get(SourceReaderOptions.ELEMENT_QUEUE_CAPACITY)).isEqualTo(1);
    fetcher.close(1_000);
  }
}

package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.testutils.source.reader.SourceReaderTestBase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** Flink's own test suite for readers: all its cases. */
@Timeout(120)
final class ReaderSuiteIT extends SourceReaderTestBase<KorpseSplit> {

  private static final String TOPIC = "suite";

  private static EmbeddedBroker broker;

  /** As many partitions as the suite has splits; the numbers go on from one to the next. */
  @BeforeAll
  static void write() {
    broker = EmbeddedBroker.start();
    int partitions = 10;
    broker.createTopic(TOPIC, partitions);
    try (Sender sender = new Sender(broker, Map.of())) {
      for (int number = 0; number < partitions * NUM_RECORDS_PER_SPLIT; number++) {
        byte[] value = Integer.toString(number).getBytes(UTF_8);
        sender.send(TOPIC, number / NUM_RECORDS_PER_SPLIT, null, value);
      }
    }
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Override
  protected SourceReader<Integer, KorpseSplit> createReader() throws Exception {
    SourceReader<Integer, KorpseSplit> reader =
        KorpseSource.<Integer>builder()
            .setBootstrapServers(broker.bootstrapServers())
            .setTopics(TOPIC)
            .setValueOnlyDeserializer(new Numbers())
            .build()
            .createReader(new FakeReaderContext());
    reader.start();
    return reader;
  }

  @Override
  protected List<KorpseSplit> getSplits(int count, int records, Boundedness boundedness) {
    List<KorpseSplit> splits = new ArrayList<>();
    for (int partition = 0; partition < count; partition++) {
      splits.add(getSplit(partition, records, boundedness));
    }
    return splits;
  }

  @Override
  protected KorpseSplit getSplit(int partition, int records, Boundedness boundedness) {
    long stop = boundedness == Boundedness.BOUNDED ? records : KorpseSplit.NO_STOP_OFFSET;
    return ReaderRig.split(TOPIC, partition, stop);
  }

  @Override
  protected long getNextRecordIndex(KorpseSplit split) {
    return split.position().offset();
  }

  private static final class Numbers extends AbstractDeserializationSchema<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer deserialize(byte[] message) {
      return Integer.valueOf(new String(message, UTF_8));
    }
  }
}

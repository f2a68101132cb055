package io.korpse.flink.source.reader;

import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.testing.EmbeddedBroker;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A JVM with nothing but a reader. Prints, of the moments at which its buffers were full while its
 * splits took turns, by how much the live heap had grown at most over what it was before they were
 * added, and how many bytes the reader counted as held at most.
 */
final class ReaderHeap {

  private static final int ROUNDS = 12;

  /** Nothing is fetched any more when what is held has not changed for so long. */
  private static final Duration STILL = Duration.ofMillis(150);

  private ReaderHeap() {}

  /** Takes the bootstrap servers, the topic, its partitions, the reader's buffer, its consumers. */
  public static void main(String[] args) throws Exception {
    String topic = args[1];
    int partitions = Integer.parseInt(args[2]);
    try (ReaderRig rig =
        new ReaderRig(
            KorpseSource.<String>builder()
                .setBootstrapServers(args[0])
                .setDeserializer(new Length())
                .setProperty(KorpseSourceOptions.READER_BUFFER.key(), args[3] + " b")
                .setReaderConsumers(Integer.parseInt(args[4])))) {
      rig.add(ReaderRig.split("warm-" + topic, 0, 1)).pollUntilCount(1);
      long before = liveBytes();
      for (int p = 0; p < partitions; p++) {
        rig.add(ReaderRig.split(topic, p));
      }
      long most = 0;
      long held = 0;
      for (int round = 0; round < ROUNDS; round++) {
        rig.output.elements.clear();
        rig.pollUntilCount(partitions);
        held = Math.max(held, heldWhenFull(rig));
        most = Math.max(most, liveBytes() - before);
      }
      System.out.println(most + " " + held);
    }
  }

  /** Lets the fetcher fill the buffers while nobody takes anything out of them. */
  private static long heldWhenFull(ReaderRig rig) {
    AtomicLong held = new AtomicLong(-1);
    await()
        .atMost(EmbeddedBroker.patience())
        .pollInterval(Duration.ofMillis(10))
        .during(STILL)
        .until(() -> held.getAndSet(rig.gauge("heldBytes")) == held.get());
    return held.get();
  }

  /** What was live at a collection of its own, however much was allocated since. */
  private static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .mapToLong(pool -> pool.getCollectionUsage().getUsed())
        .sum();
  }

  /** Looks at keys, values and headers, so that all of them are buffered, and keeps nothing. */
  private static final class Length implements KafkaRecordDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {
      out.collect(Integer.toString(record.value().length));
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }
}

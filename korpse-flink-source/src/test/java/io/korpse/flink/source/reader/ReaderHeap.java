package io.korpse.flink.source.reader;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * A JVM with nothing but a reader: prints by how much the live heap grew at most, while its splits
 * took turns, over what it was before they were added.
 */
final class ReaderHeap {

  private static final int ROUNDS = 15;

  private ReaderHeap() {}

  /** Takes the bootstrap servers, the topic, its partitions, and the reader's buffer in bytes. */
  public static void main(String[] args) throws Exception {
    String topic = args[1];
    int partitions = Integer.parseInt(args[2]);
    try (ReaderRig rig =
        new ReaderRig(
            KorpseSource.<String>builder()
                .setBootstrapServers(args[0])
                .setValueOnlyDeserializer(new Length())
                .setProperty(KorpseSourceOptions.READER_BUFFER.key(), args[3] + " b"))) {
      rig.add(ReaderRig.split("warm-" + topic, 0, 1)).pollUntilCount(1);
      long before = liveBytes();
      for (int p = 0; p < partitions; p++) {
        rig.add(ReaderRig.split(topic, p));
      }
      long most = 0;
      for (int round = 0; round < ROUNDS; round++) {
        rig.output.elements.clear();
        rig.pollUntilCount(partitions);
        most = Math.max(most, liveBytes() - before);
      }
      System.out.println(most);
    }
  }

  /** What was live at a collection of its own, however much was allocated since. */
  private static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .mapToLong(pool -> pool.getCollectionUsage().getUsed())
        .sum();
  }

  /** Keeps nothing of a value. */
  private static final class Length implements DeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String deserialize(byte[] value) throws IOException {
      return Integer.toString(value.length);
    }

    @Override
    public boolean isEndOfStream(String next) {
      return false;
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }
}

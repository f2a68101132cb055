package io.korpse.flink.source.enumerator.event;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Splits as bytes, since events travel by Java serialization and splits do not. */
final class SplitCodec {

  private static final KorpseSplitSerializer SERIALIZER = new KorpseSplitSerializer();

  private SplitCodec() {}

  static byte[][] encode(Collection<KorpseSplit> splits) {
    byte[][] bytes = new byte[splits.size()][];
    int next = 0;
    try {
      for (KorpseSplit split : splits) {
        bytes[next++] = SERIALIZER.serialize(split);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes;
  }

  static List<KorpseSplit> decode(byte[][] bytes) {
    List<KorpseSplit> splits = new ArrayList<>(bytes.length);
    try {
      for (byte[] split : bytes) {
        splits.add(SERIALIZER.deserialize(SERIALIZER.getVersion(), split));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return splits;
  }
}

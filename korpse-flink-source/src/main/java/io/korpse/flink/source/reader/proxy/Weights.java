package io.korpse.flink.source.reader.proxy;

import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What each record of one poll weighs, so that handing over a part of them frees what that part
 * held and no more: of a thousand small records and a large one the small ones do not give room for
 * the large. Records that all weigh the same, as most do, need no list.
 */
final class Weights {

  private final int count;
  private final int each;
  private final long total;

  /** Null when all weigh the same. */
  @Nullable private final int[] single;

  private Weights(int count, int each, long total, @Nullable int[] single) {
    this.count = count;
    this.each = each;
    this.total = total;
    this.single = single;
  }

  /** Weighs the records of a poll, at least one. */
  static Weights of(List<ConsumerRecord<byte[], byte[]>> records, RecordWeigher weigher) {
    int count = records.size();
    int each = weigher.weigh(records.get(0));
    int[] single = null;
    long total = each;
    for (int i = 1; i < count; i++) {
      int weight = weigher.weigh(records.get(i));
      total += weight;
      if (single == null && weight != each) {
        single = new int[count];
        Arrays.fill(single, 0, i, each);
      }
      if (single != null) {
        single[i] = weight;
      }
    }
    return new Weights(count, each, total, single);
  }

  /** Bytes of all. */
  long total() {
    return total;
  }

  /** Bytes of the records from one place up to another. */
  long between(int from, int to) {
    if (single == null) {
      return (long) each * (to - from);
    }
    if (from == 0 && to == count) {
      return total;
    }
    long bytes = 0;
    for (int i = from; i < to; i++) {
      bytes += single[i];
    }
    return bytes;
  }

  /** The place up to which records fit into so many bytes: after the first at least. */
  int upTo(int from, int limit, long bytes) {
    if (single == null) {
      return from + (int) Math.max(1, Math.min(limit - from, bytes / Math.max(1, each)));
    }
    int to = from + 1;
    long left = bytes - single[from];
    while (to < limit && single[to] <= left) {
      left -= single[to++];
    }
    return to;
  }
}

package io.korpse.flink.source.reader.proxy;

import java.nio.ByteBuffer;
import java.util.Iterator;
import javax.annotation.Nullable;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Bounds a poll in bytes.
 *
 * <p>{@code max.poll.records} bounds a poll by count only: a thousand well compressed records are a
 * fetch of some kilobytes and a poll of a gigabyte. The consumer copies keys and values through its
 * deserializers, on the polling thread and record by record, so these count what they copy. Beyond
 * the quota they copy nothing and answer {@link #WITHHELD}; the proxy drops such records and seeks
 * back to the first of them. One record is always let through.
 *
 * <p>They also make headers plain on the way, or drop them when nobody reads them: a header that
 * was never read pins the whole response that it came with.
 *
 * <p>Confined to the fetcher thread.
 */
final class PollQuota {

  /** In place of a key or value that was not copied. Compared by identity. */
  static final byte[] WITHHELD = new byte[0];

  private final boolean keepKeys;
  private final boolean keepHeaders;
  private long limit = Long.MAX_VALUE;
  private long used;
  private int records;
  private boolean exceeded;

  /** Those of the record that is being copied: its key and its value come with the same. */
  @Nullable private Headers current;

  PollQuota(boolean keepKeys, boolean keepHeaders) {
    this.keepKeys = keepKeys;
    this.keepHeaders = keepHeaders;
  }

  /** Starts the next poll. */
  void begin(long bytes) {
    limit = bytes;
    used = 0;
    records = 0;
    exceeded = false;
    current = null;
  }

  /** Whether something of this poll was withheld. */
  boolean exceeded() {
    return exceeded;
  }

  /**
   * What the records of this poll weigh as far as they were seen: one without key and value is not.
   */
  long used() {
    return used;
  }

  Deserializer<byte[]> keys() {
    return new KeyCopier();
  }

  Deserializer<byte[]> values() {
    return new ValueCopier();
  }

  private byte[] copy(ByteBuffer data) {
    int size = data.remaining();
    used += size;
    byte[] copy = new byte[size];
    if (data.hasArray()) {
      // Right after the allocation the compiler leaves out clearing it; a buffer's get is no such.
      System.arraycopy(data.array(), data.arrayOffset() + data.position(), copy, 0, size);
    } else {
      data.get(data.position(), copy);
    }
    return copy;
  }

  /** Whether a key or value has to stay out; else its record is counted when it is new. */
  private boolean withhold(int size, Headers headers) {
    boolean sameRecord = headers == current;
    boolean firstRecord = records == 0 || (records == 1 && sameRecord);
    if (exceeded || (!firstRecord && used + size > limit)) {
      exceeded = true;
      drop(headers);
      return true;
    }
    if (!sameRecord) {
      current = headers;
      records++;
      used += RecordWeigher.OVERHEAD;
      if (keepHeaders) {
        used += readFully(headers);
      } else {
        drop(headers);
      }
    }
    return false;
  }

  private abstract static class Copier implements Deserializer<byte[]> {
    @Override
    public byte[] deserialize(String topic, byte[] data) {
      return data;
    }
  }

  private final class KeyCopier extends Copier {
    @Override
    public byte[] deserialize(String topic, Headers headers, ByteBuffer data) {
      if (withhold(keepKeys ? data.remaining() : 0, headers)) {
        return WITHHELD;
      }
      return keepKeys ? copy(data) : null;
    }
  }

  private final class ValueCopier extends Copier {
    @Override
    public byte[] deserialize(String topic, Headers headers, ByteBuffer data) {
      return withhold(data.remaining(), headers) ? WITHHELD : copy(data);
    }
  }

  /** Without an iterator, which would be an allocation for each record that has no headers. */
  private static boolean isEmpty(Headers headers) {
    return headers.toArray().length == 0;
  }

  private static void drop(Headers headers) {
    if (isEmpty(headers)) {
      return;
    }
    Iterator<Header> each = headers.iterator();
    while (each.hasNext()) {
      each.next();
      each.remove();
    }
  }

  /** Reads each header, which makes it a copy of its own; returns what they weigh. */
  private static long readFully(Headers headers) {
    if (isEmpty(headers)) {
      return 0;
    }
    long bytes = 0;
    for (Header header : headers) {
      byte[] value = header.value();
      bytes +=
          RecordWeigher.HEADER_OVERHEAD
              + header.key().length()
              + (value == null ? 0 : value.length);
    }
    return bytes;
  }
}

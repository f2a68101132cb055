package io.korpse.flink.jobs.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * A sink that hands each record to a {@link RecordProbe} of this JVM and keeps nothing.
 *
 * <p>A job graph is serialized even when the cluster is in the same process; the probe is therefore
 * found by a number.
 */
final class ProbeSink<T> implements Sink<T> {

  private static final Map<Long, RecordProbe<?>> PROBES = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong();

  private final long id;

  private ProbeSink(long id) {
    this.id = id;
  }

  static <T> ProbeSink<T> of(RecordProbe<T> probe) {
    long id = NEXT.incrementAndGet();
    PROBES.put(id, probe);
    return new ProbeSink<>(id);
  }

  void forget() {
    PROBES.remove(id);
  }

  @Override
  public SinkWriter<T> createWriter(WriterInitContext context) {
    @SuppressWarnings("unchecked")
    RecordProbe<T> probe = (RecordProbe<T>) PROBES.get(id);
    if (probe == null) {
      throw new IllegalStateException("The probe %d is gone".formatted(id));
    }
    return new Writer<>(probe);
  }

  private static final class Writer<T> implements SinkWriter<T> {

    private final RecordProbe<T> probe;

    Writer(RecordProbe<T> probe) {
      this.probe = probe;
    }

    @Override
    public void write(T element, Context context) throws InterruptedException {
      probe.accept(element, context);
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public void close() {}
  }
}

package io.korpse.flink.source.testing;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Elements that came out of a job of this JVM, in the order of arrival. */
public final class Received<T> {

  private static final Map<String, Queue<Object>> ALL = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  /** An empty collection. */
  public Received() {
    ALL.put(id, new ConcurrentLinkedQueue<>());
  }

  /** Lets all elements of a stream be collected here. */
  public void collect(DataStream<T> stream) {
    stream.map(new Recorder<>(id)).returns(stream.getType()).sinkTo(new DiscardingSink<>());
  }

  /** What has come so far. */
  @SuppressWarnings("unchecked")
  public List<T> values() {
    return (List<T>) List.copyOf(ALL.get(id));
  }

  private record Recorder<T>(String id) implements MapFunction<T, T> {
    @Override
    public T map(T value) {
      ALL.get(id).add(value);
      return value;
    }
  }
}

package io.korpse.flink.source.testing;

import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes numbered text values and names them. */
public final class Values {

  private Values() {}

  /** The values that {@link #write} writes. */
  public static List<String> of(String topic, int partition, int from, int to) {
    List<String> values = new ArrayList<>();
    for (int number = from; number < to; number++) {
      values.add(topic + "-" + partition + "-" + number);
    }
    return values;
  }

  /** Writes values with the timestamps {@code from} up to {@code to} and returns them. */
  public static List<String> write(
      EmbeddedBroker broker, String topic, int partition, int from, int to) {
    return write(broker, topic, partition, from, to, Map.of());
  }

  /** Writes them as one batch of the log. */
  public static List<String> writeBatch(
      EmbeddedBroker broker, String topic, int partition, int from, int to) {
    return write(broker, topic, partition, from, to, Map.of("linger.ms", 60_000));
  }

  private static List<String> write(
      EmbeddedBroker broker,
      String topic,
      int partition,
      int from,
      int to,
      Map<String, Object> producer) {
    List<String> values = of(topic, partition, from, to);
    try (Sender sender = new Sender(broker, producer)) {
      for (int i = 0; i < values.size(); i++) {
        byte[] value = values.get(i).getBytes(StandardCharsets.UTF_8);
        sender.send(topic, partition, (long) from + i, value);
      }
    }
    return values;
  }
}

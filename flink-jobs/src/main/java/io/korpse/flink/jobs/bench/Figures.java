package io.korpse.flink.jobs.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.BiConsumer;

/** Named numbers of one run, in the order they were put in. */
final class Figures {

  private final Map<String, Double> values = new LinkedHashMap<>();

  static Figures of(Map<String, Double> values) {
    Figures figures = new Figures();
    values.forEach(figures::put);
    return figures;
  }

  Figures put(String name, double value) {
    values.put(name, value);
    return this;
  }

  Figures putAll(Figures other) {
    values.putAll(other.values);
    return this;
  }

  OptionalDouble get(String name) {
    Double value = values.get(name);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  void forEach(BiConsumer<String, Double> action) {
    values.forEach(action);
  }

  Map<String, Double> toMap() {
    return new LinkedHashMap<>(values);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    values.forEach(
        (name, value) ->
            text.append(text.isEmpty() ? "" : "  ")
                .append(name)
                .append(' ')
                .append(Numbers.text(value)));
    return text.toString();
  }
}

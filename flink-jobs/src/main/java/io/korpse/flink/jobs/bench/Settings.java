package io.korpse.flink.jobs.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The options of one invocation, complete: the scenario's defaults with the user's values over
 * them.
 */
final class Settings {

  private final Map<Option, String> values;

  private Settings(Map<Option, String> values) {
    this.values = values;
  }

  /**
   * Lays {@code given} over {@code defaults}.
   *
   * @throws IllegalArgumentException if the scenario does not take an option, or a value is refused
   */
  static Settings of(String scenario, Map<Option, String> defaults, Map<Option, String> given) {
    Map<Option, String> merged = new EnumMap<>(Option.class);
    merged.putAll(defaults);
    given.forEach(
        (option, value) -> {
          if (!defaults.containsKey(option)) {
            throw new IllegalArgumentException(
                "Scenario '%s' does not take %s; it takes %s."
                    .formatted(scenario, option.flag(), flags(defaults)));
          }
          merged.put(option, value);
        });
    merged.forEach(Option::check);
    return new Settings(merged);
  }

  /** Reads what {@link #toMap()} wrote. */
  static Settings fromMap(Map<String, String> map) {
    Map<Option, String> values = new EnumMap<>(Option.class);
    map.forEach((name, value) -> values.put(Option.valueOf(name), value));
    return new Settings(values);
  }

  private static String flags(Map<Option, String> defaults) {
    List<String> flags = new ArrayList<>();
    new EnumMap<>(defaults).keySet().forEach(option -> flags.add(option.flag()));
    return String.join(" ", flags);
  }

  Settings with(Option option, String value) {
    Map<Option, String> changed = new EnumMap<>(values);
    changed.put(option, value);
    return new Settings(changed);
  }

  boolean has(Option option) {
    return values.containsKey(option);
  }

  String text(Option option) {
    String value = values.get(option);
    if (value == null) {
      throw new IllegalStateException("No value for " + option.flag());
    }
    return value;
  }

  int number(Option option) {
    return Math.toIntExact(count(option));
  }

  long count(Option option) {
    return Long.parseLong(text(option).trim());
  }

  boolean flag(Option option) {
    return Boolean.parseBoolean(text(option));
  }

  List<Integer> numbers(Option option) {
    List<Integer> numbers = new ArrayList<>();
    for (String part : text(option).split(",", -1)) {
      numbers.add(Integer.parseInt(part.trim()));
    }
    return numbers;
  }

  Properties consumerProperties() {
    Properties properties = new Properties();
    String pairs = values.getOrDefault(Option.CONSUMER, "");
    if (!pairs.isEmpty()) {
      for (String pair : pairs.split(";", -1)) {
        int equals = pair.indexOf('=');
        properties.setProperty(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return properties;
  }

  Map<String, String> toMap() {
    Map<String, String> map = new TreeMap<>();
    values.forEach((option, value) -> map.put(option.name(), value));
    return map;
  }
}

package io.korpse.flink.source;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;

/** Keys that were set, apart by whom they are for. */
final class PropertyBag {

  private final Properties kafka = new Properties();
  private final Configuration options = new Configuration();
  private final Map<String, ConfigOption<?>> known = new LinkedHashMap<>();

  PropertyBag() {
    KorpseSourceOptions.all().forEach(option -> known.put(option.key(), option));
  }

  void put(String key, String value) {
    Objects.requireNonNull(key, "A key is needed");
    Objects.requireNonNull(value, () -> "The key '" + key + "' needs a value");
    ConfigOption<?> option = known.get(key);
    if (option != null) {
      options.setString(key, value.strip());
      parse(option, value);
    } else if (key.startsWith(KorpseSourceOptions.PREFIX)) {
      throw new IllegalArgumentException(
          "There is no option '" + key + "'; those of Korpse are " + known.keySet());
    } else {
      kafka.setProperty(key, value);
    }
  }

  void putAll(Properties several) {
    // Defaults of the Properties object count too, so the names are asked for and not the entries.
    several.stringPropertyNames().forEach(key -> put(key, several.getProperty(key)));
    several.forEach(
        (key, value) -> {
          if (value instanceof Number || value instanceof Boolean) {
            put(key.toString(), value.toString());
          } else if (!(value instanceof String)) {
            throw new IllegalArgumentException(
                "The value of '"
                    + key
                    + "' is a "
                    + value.getClass().getName()
                    + "; give it as text");
          }
        });
  }

  <V> void set(ConfigOption<V> option, V value) {
    Objects.requireNonNull(value, () -> "The option '" + option.key() + "' needs a value");
    options.set(option, value);
  }

  private void parse(ConfigOption<?> option, String value) {
    try {
      options.get(option);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + value + "' is no value for '" + option.key() + "': " + e.getMessage(), e);
    }
  }

  Properties kafka() {
    Properties copy = new Properties();
    copy.putAll(kafka);
    return copy;
  }

  Configuration options() {
    return new Configuration(options);
  }
}

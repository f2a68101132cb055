package io.korpse.flink.jobs.bench;

import java.util.Map;

/**
 * What a child is asked to run.
 *
 * @param settings as {@link Settings#toMap()} writes them
 * @param extras what the scenario passes from its parent's half to its child's half
 */
record Request(
    String scenario,
    String source,
    String bootstrap,
    String topic,
    Map<String, String> settings,
    Map<String, String> extras) {

  Settings options() {
    return Settings.fromMap(settings);
  }

  SourceKind kind() {
    return SourceKind.of(source);
  }

  String extra(String name) {
    String value = extras.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "The request for '%s' lacks '%s'".formatted(scenario, name));
    }
    return value;
  }
}

package io.korpse.flink.jobs.bench;

/** What is measured. */
enum SourceKind {
  KORPSE("korpse", "Korpse with its default options"),
  KORPSE_FAIR("korpse-fair", "Korpse with its fair order"),
  KORPSE_EARLY("korpse-early", "Korpse, deserializing on its fetcher thread"),
  KAFKA_SOURCE("kafkasource", "KafkaSource of flink-connector-kafka"),
  RAW("raw", "a KafkaConsumer loop with Korpse's consumer settings, without Flink"),
  FLINK("flink", "a Flink job without Kafka");

  private final String label;
  private final String description;

  SourceKind(String label, String description) {
    this.label = label;
    this.description = description;
  }

  String label() {
    return label;
  }

  String description() {
    return description;
  }

  /**
   * @throws IllegalArgumentException if there is no source of that name
   */
  static SourceKind of(String label) {
    for (SourceKind kind : values()) {
      if (kind.label.equals(label)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("There is no source '" + label + "'.");
  }
}

package io.korpse.flink.jobs.bench;

/** What is measured. */
enum SourceKind {
  KORPSE("korpse", "Korpse with its default options"),
  KORPSE_FAIR("korpse-fair", "Korpse with its fair order"),
  KORPSE_EARLY("korpse-early", "Korpse, deserializing on its fetcher thread"),
  KORPSE_2("korpse-2", "Korpse with two consumers for each subtask"),
  KORPSE_2_EARLY("korpse-2-early", "Korpse with two consumers, each deserializing on its thread"),
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

  /** Whether any scenario measures it when asked to. */
  boolean anywhere() {
    return this == KORPSE_FAIR || this == KORPSE_2 || this == KORPSE_2_EARLY;
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

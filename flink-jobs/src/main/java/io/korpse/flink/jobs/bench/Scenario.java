package io.korpse.flink.jobs.bench;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One question asked of every source. Its first half runs in the tool and prepares topics and load,
 * its second half ({@link #work}) runs in the child of a source and measures.
 */
interface Scenario {

  String name();

  /** One sentence for the help. */
  String purpose();

  /** The options it takes, and what they are if the user says nothing. */
  Map<Option, String> defaults();

  /** What Korpse is held to under these options. */
  List<Target> targets(Settings settings);

  /** What {@code --source all} stands for. */
  List<SourceKind> sources();

  /**
   * What differs between the topics that are measured one after the other; one empty string by
   * default.
   */
  default List<String> variants(Settings settings) {
    return List.of("");
  }

  /** Whether each run gets a child of its own, because a run may kill it. */
  default boolean freshChildPerRun() {
    return false;
  }

  /** JVM options of the child besides its heap. */
  default List<String> childOptions() {
    return List.of();
  }

  /** Fills what all runs of a variant read. */
  void prepare(Host host, String variant, Settings settings) throws Exception;

  /** The topic that the runs of a variant read. */
  default String topic(String variant) {
    return variant.isEmpty() ? name() : name() + "-" + variant;
  }

  /**
   * One run, in the tool: asks the child and, where the scenario needs it, makes load meanwhile.
   */
  default Figures run(Host host, Child child, SourceKind source, String variant, Settings settings)
      throws Exception {
    return child.call(request(host, source, variant, settings, Map.of()));
  }

  /** What {@link #run} sends. */
  default Request request(
      Host host, SourceKind source, String variant, Settings settings, Map<String, String> extras) {
    return new Request(
        name(), source.label(), host.bootstrap(), topic(variant), settings.toMap(), extras);
  }

  /** One run, in the child of the source. */
  Figures work(Request request, Consumer<Figures> partial) throws Exception;

  /** Adds the figures that compare sources within one round. */
  default void compare(Map<SourceKind, Figures> round) {}
}

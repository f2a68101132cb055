package io.korpse.flink.jobs.bench;

import java.util.EnumSet;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/**
 * A bound that a scenario holds Korpse to.
 *
 * @param text the bound, in words
 * @param value what is bounded; empty if the runs do not tell
 * @param atLeast whether {@code bound} is the least that is allowed, else the most
 * @param sources those whose runs tell
 */
record Target(
    String text,
    Function<Report, OptionalDouble> value,
    double bound,
    boolean atLeast,
    Set<SourceKind> sources) {

  /** What became of a target; {@code value} is null if the runs do not tell. */
  record Outcome(String text, Double value, Boolean met) {}

  Outcome check(Report report) {
    OptionalDouble found = value.apply(report);
    if (found.isEmpty()) {
      return new Outcome(text, null, null);
    }
    double number = found.getAsDouble();
    return new Outcome(text, number, atLeast ? number >= bound : number <= bound);
  }

  /** Bounds the ratio of the medians of a figure. */
  static Target ratioAtLeast(String figure, SourceKind under, double bound) {
    return ratio(figure, under, bound, true);
  }

  /** Bounds the ratio of the medians of a figure. */
  static Target ratioAtMost(String figure, SourceKind under, double bound) {
    return ratio(figure, under, bound, false);
  }

  /** Bounds the ratio of the medians of a figure, for Korpse with options that are not default. */
  static Target ratioAtLeast(SourceKind over, String figure, SourceKind under, double bound) {
    return ratio(over, figure, under, bound, true);
  }

  private static Target ratio(String figure, SourceKind under, double bound, boolean atLeast) {
    return ratio(SourceKind.KORPSE, figure, under, bound, atLeast);
  }

  private static Target ratio(
      SourceKind over, String figure, SourceKind under, double bound, boolean atLeast) {
    return new Target(
        "%s`%s` %s %s of %s"
            .formatted(
                over == SourceKind.KORPSE ? "" : over.label() + ": ",
                figure,
                atLeast ? "at least" : "at most",
                Numbers.text(bound),
                under.label()),
        report -> of(report.ratios(report.lastVariant(), over, under).get(figure)),
        bound,
        atLeast,
        Set.of(over, under));
  }

  static Target atLeast(String figure, double bound) {
    return new Target(
        "`%s` at least %s".formatted(figure, Numbers.text(bound)),
        report -> median(report, figure),
        bound,
        true,
        Set.of(SourceKind.KORPSE));
  }

  static Target atMost(String figure, double bound) {
    return new Target(
        "`%s` at most %s".formatted(figure, Numbers.text(bound)),
        report -> median(report, figure),
        bound,
        false,
        Set.of(SourceKind.KORPSE));
  }

  /** The same, for a figure that can only be told beside one source more. */
  Target beside(SourceKind source) {
    Set<SourceKind> more = EnumSet.copyOf(sources);
    more.add(source);
    return new Target(text, value, bound, atLeast, more);
  }

  static OptionalDouble median(Report report, String figure) {
    Statistics statistics =
        report.summary(report.lastVariant()).getOrDefault(SourceKind.KORPSE, Map.of()).get(figure);
    return statistics == null ? OptionalDouble.empty() : OptionalDouble.of(statistics.median());
  }

  private static OptionalDouble of(Double value) {
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }
}

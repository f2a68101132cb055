package io.korpse.flink.source.reader.proxy;

/** An invariant does not hold. The message starts with its name. */
final class SimViolation extends AssertionError {

  private static final long serialVersionUID = 1L;

  private final String invariant;

  SimViolation(String invariant, String message) {
    super(invariant + ": " + message);
    this.invariant = invariant;
  }

  /** The name: I1 to I11, or what it is about. */
  String invariant() {
    return invariant;
  }

  static void check(boolean holds, String invariant, java.util.function.Supplier<String> message) {
    if (!holds) {
      throw new SimViolation(invariant, message.get());
    }
  }
}

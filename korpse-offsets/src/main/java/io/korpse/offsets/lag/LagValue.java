package io.korpse.offsets.lag;

/**
 * A number of records or milliseconds, or that it is not known. Unknown is never 0.
 *
 * @param isKnown whether {@code value} means anything
 * @param value at least 0
 */
public record LagValue(boolean isKnown, long value) {

  /** How a gauge says "unknown". */
  public static final long UNKNOWN_GAUGE = -1;

  private static final LagValue UNKNOWN = new LagValue(false, 0);
  private static final LagValue ZERO = new LagValue(true, 0);

  /** Rejects a negative number. */
  public LagValue {
    if (value < 0) {
      throw new IllegalArgumentException("A lag is at least 0, not " + value);
    }
  }

  /**
   * The number.
   *
   * @throws IllegalStateException if it is not known
   */
  @Override
  public long value() {
    if (!isKnown) {
      throw new IllegalStateException("Not known; ask isKnown() first");
    }
    return value;
  }

  /** Not known. */
  public static LagValue unknown() {
    return UNKNOWN;
  }

  /** A number; a negative one is taken as 0, since samples of two moments are subtracted. */
  public static LagValue of(long value) {
    return value <= 0 ? ZERO : new LagValue(true, value);
  }

  /** The number for a gauge: -1 when unknown. */
  public long toGauge() {
    return isKnown ? value : UNKNOWN_GAUGE;
  }

  /** The sum; unknown if one of both is. */
  public LagValue plus(LagValue other) {
    return isKnown && other.isKnown ? of(value + other.value) : UNKNOWN;
  }

  /** The larger; unknown if one of both is. */
  public LagValue max(LagValue other) {
    return isKnown && other.isKnown ? of(Math.max(value, other.value)) : UNKNOWN;
  }

  @Override
  public String toString() {
    return isKnown ? Long.toString(value) : "unknown";
  }
}

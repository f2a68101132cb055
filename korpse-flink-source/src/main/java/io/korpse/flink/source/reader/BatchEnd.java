package io.korpse.flink.source.reader;

import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Finds the end of a batch that cannot be read. A consumer does not tell it, but fails in the same
 * way at each offset of the batch: so the end is searched, by doubled steps and then by halves,
 * which is some 20 reads for the largest batches.
 */
final class BatchEnd {

  private BatchEnd() {}

  /**
   * The first offset after {@code offset} where reading does not fail in the same way.
   *
   * @param end where the log ends, which is readable
   * @param failureAt what is wrong at an offset; empty when it can be read
   * @return {@code offset} itself when it can be read
   */
  static long find(long offset, long end, LongFunction<Optional<String>> failureAt) {
    Optional<String> failure = failureAt.apply(offset);
    if (failure.isEmpty()) {
      return offset;
    }
    long bad = offset;
    long other = end;
    for (long step = 1; bad + step < end; step *= 2) {
      long at = bad + step;
      if (!failureAt.apply(at).equals(failure)) {
        other = at;
        break;
      }
      bad = at;
    }
    while (other - bad > 1) {
      long middle = bad + (other - bad) / 2;
      if (failureAt.apply(middle).equals(failure)) {
        bad = middle;
      } else {
        other = middle;
      }
    }
    return Math.max(offset + 1, other);
  }
}

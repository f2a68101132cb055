package io.korpse.flink.jobs;

import org.apache.flink.api.common.functions.AggregateFunction;

/**
 * Flights counted and their delays added up; whole numbers, so that the order does not matter.
 *
 * @param flights number of flights
 * @param minutes sum of their delays
 */
public record DelaySum(long flights, long minutes) {

  private static final DelaySum NONE = new DelaySum(0, 0);

  /** Adds flights to a {@link DelaySum}. */
  static final class Aggregate implements AggregateFunction<Flight, DelaySum, DelaySum> {

    private static final long serialVersionUID = 1L;

    @Override
    public DelaySum createAccumulator() {
      return NONE;
    }

    @Override
    public DelaySum add(Flight flight, DelaySum sum) {
      return new DelaySum(sum.flights + 1, sum.minutes + flight.delay());
    }

    @Override
    public DelaySum getResult(DelaySum sum) {
      return sum;
    }

    @Override
    public DelaySum merge(DelaySum a, DelaySum b) {
      return new DelaySum(a.flights + b.flights, a.minutes + b.minutes);
    }
  }
}

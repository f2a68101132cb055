package io.korpse.flink.jobs.chaos;

import java.util.Locale;

/**
 * One planned fault.
 *
 * @param kind what is done
 * @param atMillis when, counted from the start of the load; later when the one before still lasts
 * @param choice picks the target: a number from 0 that is taken modulo the number of targets
 * @param lastsMillis how long a process stays frozen or away
 */
record Fault(FaultKind kind, long atMillis, int choice, long lastsMillis) {

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%6.1f s  %-18s for %.1f s", atMillis / 1e3, kind, lastsMillis / 1e3);
  }
}

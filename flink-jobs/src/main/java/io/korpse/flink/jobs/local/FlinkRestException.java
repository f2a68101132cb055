package io.korpse.flink.jobs.local;

/** Flink answered with an error; the message is that of the last cause it gave. */
public final class FlinkRestException extends RuntimeException {

  FlinkRestException(String message) {
    super(message);
  }
}

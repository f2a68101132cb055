package io.korpse.flink.jobs;

import java.io.IOException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * A value is no flight. Reading it again gives the same, so Flink fails the job at once instead of
 * restarting it.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class NotAFlightException extends IOException {

  private static final long serialVersionUID = 1L;

  NotAFlightException(String message, Throwable cause) {
    super(message, cause);
  }
}

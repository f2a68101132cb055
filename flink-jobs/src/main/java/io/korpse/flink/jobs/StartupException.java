package io.korpse.flink.jobs;

/** The job cannot start; the message says why, for people. */
public final class StartupException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** An exception whose message is all that a user needs. */
  public StartupException(String message, Throwable cause) {
    super(message, cause);
  }
}

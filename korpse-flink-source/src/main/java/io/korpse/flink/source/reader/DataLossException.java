package io.korpse.flink.source.reader;

/** Records that were to be read are not in the log any more, and the policy is to fail. */
public final class DataLossException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DataLossException(String message) {
    super(message);
  }
}

package org.apache.kafka.clients.producer.internals;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The class of this name in Kafka's clients 4.3, with the wait without a limit that they dropped.
 *
 * <p>Flink's Kafka sink (flink-connector-kafka 5.0.0-2.2) was built against clients 4.2 and calls
 * {@link #await()} for every checkpoint of an exactly-once sink; with the clients' own class each
 * ends in a NoSuchMethodError. The job jar holds this class instead of theirs. To be deleted with
 * the first release of the sink that is built against clients 4.3.
 *
 * <p>Completed by the producer's network thread, awaited by any other.
 */
public final class TransactionalRequestResult {

  private final CompletableFuture<Void> completion = new CompletableFuture<>();
  private final String operation;
  private volatile RuntimeException failure;
  private volatile boolean acknowledged;

  /** A result that is not there yet; {@code operation} is its name in errors. */
  public TransactionalRequestResult(String operation) {
    this.operation = operation;
  }

  /** Ends the operation with an error. */
  public void fail(RuntimeException error) {
    failure = error;
    completion.complete(null);
  }

  /** Ends the operation well, unless it has ended with an error before. */
  public void done() {
    completion.complete(null);
  }

  /** Waits for the end, however long it takes, and throws the error if that is how it ended. */
  public void await() {
    await(Long.MAX_VALUE, TimeUnit.NANOSECONDS, "");
  }

  /**
   * Waits for the end and throws the error if that is how it ended.
   *
   * @throws TimeoutException when time is up; the message ends with {@code remedy}
   */
  public void await(long timeout, TimeUnit unit, String remedy) {
    try {
      completion.get(timeout, unit);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new TimeoutException(
          operation + " took longer than " + unit.toMillis(timeout) + " ms. " + remedy);
    } catch (InterruptedException e) {
      throw new InterruptException("Interrupted while waiting for " + operation, e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("Completed by another than fail and done", e);
    }
    acknowledged = true;
    if (failure != null) {
      throw failure;
    }
  }

  /** The error, or null. */
  public RuntimeException error() {
    return failure;
  }

  /** Whether the operation has ended, and well. */
  public boolean isSuccessful() {
    return isCompleted() && failure == null;
  }

  /** Whether the operation has ended. */
  public boolean isCompleted() {
    return completion.isDone();
  }

  /** Whether somebody has waited for the end and seen it. */
  public boolean isAcked() {
    return acknowledged;
  }
}

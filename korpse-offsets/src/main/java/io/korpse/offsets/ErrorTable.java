package io.korpse.offsets;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * What to do about each error code, as data. A code that is not listed is retried when Kafka calls
 * it retriable and surfaced otherwise.
 */
public final class ErrorTable {

  private static final Map<Errors, ErrorAction> ACTIONS = new EnumMap<>(Errors.class);

  static {
    ACTIONS.put(Errors.UNKNOWN_SERVER_ERROR, ErrorAction.HALVE_BATCH);
    ACTIONS.put(Errors.OFFSET_OUT_OF_RANGE, ErrorAction.CHECK_BOUNDS);
    ACTIONS.put(Errors.UNKNOWN_TOPIC_OR_PARTITION, ErrorAction.ISOLATE);
    ACTIONS.put(Errors.LEADER_NOT_AVAILABLE, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.NOT_LEADER_OR_FOLLOWER, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.REQUEST_TIMED_OUT, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.OFFSET_METADATA_TOO_LARGE, ErrorAction.TRIM_METADATA);
    ACTIONS.put(Errors.NETWORK_EXCEPTION, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.COORDINATOR_LOAD_IN_PROGRESS, ErrorAction.RETRY);
    ACTIONS.put(Errors.COORDINATOR_NOT_AVAILABLE, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.NOT_COORDINATOR, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.INVALID_TOPIC_EXCEPTION, ErrorAction.SURFACE);
    ACTIONS.put(Errors.ILLEGAL_GENERATION, ErrorAction.SURFACE);
    ACTIONS.put(Errors.INVALID_GROUP_ID, ErrorAction.SUSPEND_GROUP);
    ACTIONS.put(Errors.UNKNOWN_MEMBER_ID, ErrorAction.BLOCKED_BY_MEMBERS);
    ACTIONS.put(Errors.REBALANCE_IN_PROGRESS, ErrorAction.RETRY);
    ACTIONS.put(Errors.INVALID_COMMIT_OFFSET_SIZE, ErrorAction.HALVE_BATCH);
    ACTIONS.put(Errors.TOPIC_AUTHORIZATION_FAILED, ErrorAction.SUSPEND_PARTITION);
    ACTIONS.put(Errors.GROUP_AUTHORIZATION_FAILED, ErrorAction.SUSPEND_GROUP);
    ACTIONS.put(Errors.CLUSTER_AUTHORIZATION_FAILED, ErrorAction.DEGRADE);
    ACTIONS.put(Errors.UNSUPPORTED_VERSION, ErrorAction.DEGRADE);
    ACTIONS.put(Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, ErrorAction.NOTHING_THERE);
    ACTIONS.put(Errors.KAFKA_STORAGE_ERROR, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.SASL_AUTHENTICATION_FAILED, ErrorAction.SUSPEND_GROUP);
    ACTIONS.put(Errors.NON_EMPTY_GROUP, ErrorAction.SURFACE);
    ACTIONS.put(Errors.GROUP_SUBSCRIBED_TO_TOPIC, ErrorAction.SURFACE);
    ACTIONS.put(Errors.GROUP_ID_NOT_FOUND, ErrorAction.NOTHING_THERE);
    ACTIONS.put(Errors.FENCED_LEADER_EPOCH, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.UNKNOWN_LEADER_EPOCH, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.OFFSET_NOT_AVAILABLE, ErrorAction.RETRY);
    ACTIONS.put(Errors.FENCED_INSTANCE_ID, ErrorAction.SURFACE);
    ACTIONS.put(Errors.UNSTABLE_OFFSET_COMMIT, ErrorAction.RETRY);
    ACTIONS.put(Errors.THROTTLING_QUOTA_EXCEEDED, ErrorAction.RETRY);
    ACTIONS.put(Errors.UNKNOWN_TOPIC_ID, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.INCONSISTENT_TOPIC_ID, ErrorAction.REDISCOVER);
    ACTIONS.put(Errors.OFFSET_MOVED_TO_TIERED_STORAGE, ErrorAction.CLIENT);
    ACTIONS.put(Errors.FENCED_MEMBER_EPOCH, ErrorAction.SURFACE);
    ACTIONS.put(Errors.STALE_MEMBER_EPOCH, ErrorAction.SURFACE);
    ACTIONS.put(Errors.REBOOTSTRAP_REQUIRED, ErrorAction.CLIENT);
  }

  private ErrorTable() {}

  /** What to do about a code. */
  public static ErrorAction action(Errors error) {
    ErrorAction listed = ACTIONS.get(error);
    if (listed != null) {
      return listed;
    }
    return error.exception() instanceof RetriableException
        ? ErrorAction.RETRY
        : ErrorAction.SURFACE;
  }

  /** What to do about an exception of the client library; wrappers of futures are looked into. */
  public static ErrorAction action(Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof TimeoutException || cause instanceof DisconnectException) {
      return ErrorAction.REDISCOVER;
    }
    Errors error = Errors.forException(cause);
    if (error == Errors.UNKNOWN_SERVER_ERROR) {
      return cause instanceof RetriableException ? ErrorAction.RETRY : ErrorAction.HALVE_BATCH;
    }
    return action(error);
  }

  /** The exception that a future's wrapper holds. */
  public static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}

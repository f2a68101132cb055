package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ErrorTableTest {

  @ParameterizedTest
  @CsvSource({
    "-1, HALVE_BATCH",
    "1, CHECK_BOUNDS",
    "3, ISOLATE",
    "5, REDISCOVER",
    "6, REDISCOVER",
    "7, REDISCOVER",
    "12, TRIM_METADATA",
    "13, REDISCOVER",
    "14, RETRY",
    "15, REDISCOVER",
    "16, REDISCOVER",
    "17, SURFACE",
    "22, SURFACE",
    "24, SUSPEND_GROUP",
    "25, BLOCKED_BY_MEMBERS",
    "27, RETRY",
    "28, HALVE_BATCH",
    "29, SUSPEND_PARTITION",
    "30, SUSPEND_GROUP",
    "31, DEGRADE",
    "35, DEGRADE",
    "43, NOTHING_THERE",
    "56, REDISCOVER",
    "58, SUSPEND_GROUP",
    "68, SURFACE",
    "69, NOTHING_THERE",
    "74, REDISCOVER",
    "75, REDISCOVER",
    "78, RETRY",
    "82, SURFACE",
    "86, SURFACE",
    "88, RETRY",
    "89, RETRY",
    "100, REDISCOVER",
    "103, REDISCOVER",
    "109, CLIENT",
    "110, SURFACE",
    "113, SURFACE",
    "129, CLIENT"
  })
  void says_what_to_do_about_each_code(short code, ErrorAction action) {
    assertThat(ErrorTable.action(Errors.forCode(code))).isEqualTo(action);
  }

  @Test
  void retries_an_unlisted_code_only_if_kafka_does() {
    assertThat(ErrorTable.action(Errors.NOT_ENOUGH_REPLICAS)).isEqualTo(ErrorAction.RETRY);
    assertThat(ErrorTable.action(Errors.POLICY_VIOLATION)).isEqualTo(ErrorAction.SURFACE);
  }

  @Test
  void looks_into_the_wrappers_of_futures() {
    Throwable wrapped =
        new ExecutionException(new CompletionException(new RebalanceInProgressException("soon")));

    assertThat(ErrorTable.action(wrapped)).isEqualTo(ErrorAction.RETRY);
    assertThat(ErrorTable.cause(wrapped)).isInstanceOf(RebalanceInProgressException.class);
  }

  @Test
  void knows_the_exceptions_of_the_client() {
    assertThat(ErrorTable.action(new TimeoutException())).isEqualTo(ErrorAction.REDISCOVER);
    assertThat(ErrorTable.action(new org.apache.kafka.common.errors.TimeoutException()))
        .isEqualTo(ErrorAction.REDISCOVER);
    assertThat(ErrorTable.action(new org.apache.kafka.common.errors.DisconnectException()))
        .isEqualTo(ErrorAction.REDISCOVER);
    assertThat(ErrorTable.action(new GroupAuthorizationException("g")))
        .isEqualTo(ErrorAction.SUSPEND_GROUP);
    assertThat(ErrorTable.action(new GroupIdNotFoundException("g")))
        .isEqualTo(ErrorAction.NOTHING_THERE);
    assertThat(ErrorTable.action(new KafkaException("?"))).isEqualTo(ErrorAction.HALVE_BATCH);
  }
}

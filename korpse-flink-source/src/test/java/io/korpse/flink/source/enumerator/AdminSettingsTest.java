package io.korpse.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class AdminSettingsTest {

  private final SourceSettings settings = SourceSettings.defaults("b:1").withKafka("group.id", "g");

  @Test
  void the_users_settings_reach_the_client_and_a_consumers_own_do_not() {
    Properties admin =
        AdminSettings.of(
            settings
                .withKafka("security.protocol", "SASL_SSL")
                .withKafka("request.timeout.ms", "1234")
                .withKafka("my.login.setting", "x")
                .withKafka("max.poll.records", "7"));

    assertThat(admin)
        .containsEntry("bootstrap.servers", "b:1")
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry("request.timeout.ms", "1234")
        .containsEntry("my.login.setting", "x")
        .doesNotContainKeys("max.poll.records", "group.id");
  }

  /** W53: two jobs with one group on one JobManager. */
  @Test
  void two_enumerators_have_ids_of_their_own() {
    String one = AdminSettings.of(settings).getProperty("client.id");
    String other = AdminSettings.of(settings).getProperty("client.id");

    assertThat(one).startsWith("g-enumerator-").isNotEqualTo(other);
  }

  @Test
  void an_unreachable_cluster_is_known_within_the_connect_timeout() {
    Properties admin =
        AdminSettings.of(settings.with(KorpseSourceOptions.CONNECT_TIMEOUT, Duration.ofSeconds(8)));

    assertThat(admin)
        .containsEntry("default.api.timeout.ms", "8000")
        .containsEntry("request.timeout.ms", "4000");
  }

  @Test
  void a_connect_timeout_of_a_year_fits_into_kafkas_settings() {
    Properties admin =
        AdminSettings.of(settings.with(KorpseSourceOptions.CONNECT_TIMEOUT, Duration.ofDays(365)));

    assertThat(admin).containsEntry("default.api.timeout.ms", "2147483647");
  }
}

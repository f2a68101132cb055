package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.SourceSettings;
import java.util.Properties;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.Uuid;

/** The configuration of the enumerator's Admin client. */
final class AdminSettings {

  private AdminSettings() {}

  /**
   * What the user gave for Kafka, without what only a consumer knows (the client warns of each), a
   * client id of its own, and timeouts that let an unreachable cluster be known soon.
   */
  static Properties of(SourceSettings settings) {
    Properties all = settings.kafka();
    Properties admin = new Properties();
    for (String key : all.stringPropertyNames()) {
      if (AdminClientConfig.configNames().contains(key)
          || !ConsumerConfig.configNames().contains(key)) {
        admin.setProperty(key, all.getProperty(key));
      }
    }
    String unique = Uuid.randomUuid().toString().substring(0, 6);
    admin.setProperty(
        AdminClientConfig.CLIENT_ID_CONFIG, settings.clientIdPrefix() + "-enumerator-" + unique);
    // Kafka counts its timeouts in an int.
    long patience = Math.min(Integer.MAX_VALUE, settings.connectTimeout().toMillis());
    admin.putIfAbsent(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(patience));
    long requests = Math.min(patience, apiTimeout(admin)) / 2;
    admin.putIfAbsent(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(requests));
    return admin;
  }

  private static long apiTimeout(Properties admin) {
    return Long.parseLong(
        admin.getProperty(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG).strip());
  }
}

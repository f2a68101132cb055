package io.korpse.flink.jobs;

import java.time.Duration;
import java.util.Collection;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/** Looks for brokers and topics before a job is submitted, to say plainly what is wrong. */
public final class TopicCheck {

  private TopicCheck() {}

  /**
   * Returns when all topics exist.
   *
   * @param bootstrapServers where the brokers are
   * @param topics what must exist
   * @param clientProperties further settings of the client, such as security
   * @param atMost how long to try
   * @throws StartupException when no broker answers in time or a topic is missing
   */
  public static void require(
      String bootstrapServers,
      Collection<String> topics,
      Properties clientProperties,
      Duration atMost) {
    Set<String> missing = new TreeSet<>(topics);
    missing.removeAll(topics(bootstrapServers, clientProperties, atMost));
    if (!missing.isEmpty()) {
      throw new StartupException(
          "Kafka at "
              + bootstrapServers
              + " has no topic "
              + String.join(", ", missing)
              + ", or hides it from this user; create it first, or check --topic",
          null);
    }
  }

  /**
   * The topics that this user sees.
   *
   * @param bootstrapServers where the brokers are
   * @param clientProperties further settings of the client, such as security
   * @param atMost how long to try
   * @throws StartupException when no broker answers in time
   */
  public static Set<String> topics(
      String bootstrapServers, Properties clientProperties, Duration atMost) {
    Properties config = new Properties();
    clientProperties.stringPropertyNames().stream()
        .filter(AdminClientConfig.configNames()::contains)
        .forEach(name -> config.put(name, clientProperties.getProperty(name)));
    int millis = Math.toIntExact(atMost.toMillis());
    config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(5_000, millis));
    try (Admin admin = Admin.create(config)) {
      return admin.listTopics().names().get();
    } catch (ExecutionException e) {
      throw new StartupException(
          e.getCause() instanceof TimeoutException
              ? "No Kafka broker answers at "
                  + bootstrapServers
                  + " (tried for "
                  + atMost.toSeconds()
                  + " s)"
              : "Kafka at " + bootstrapServers + " refuses: " + e.getCause().getMessage(),
          e.getCause());
    } catch (KafkaException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new StartupException(
          "No Kafka client can be made for " + bootstrapServers + ": " + reason.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartupException("Interrupted while asking Kafka for its topics", e);
    }
  }
}

package io.korpse.flink.source.reader;

import io.korpse.flink.source.KafkaConsumerFactory;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.reader.proxy.ConsumerFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Makes the Kafka clients of one reader from the user's configuration.
 *
 * <p>Kafka finds classes that the configuration names, as of config providers, logins and
 * reporters, through the thread's class loader. They may be in the job's jar, and a client may be
 * made on any thread, so each is made with the class loader of the user's code.
 */
final class KafkaConsumers implements ConsumerFactory {

  private final Properties config;
  private final String clientId;
  private final AtomicLong probes = new AtomicLong();
  private final KafkaConsumerFactory factory;
  private final ClassLoader userCode;
  private final java.util.function.Consumer<Consumer<byte[], byte[]>> onCreated;

  KafkaConsumers(
      SourceSettings settings,
      Map<String, String> fetch,
      String clientId,
      ClassLoader userCode,
      java.util.function.Consumer<Consumer<byte[], byte[]>> onCreated) {
    this.config = settings.kafka();
    this.clientId = clientId;
    this.factory = settings.extensions().consumerFactory();
    this.userCode = userCode;
    this.onCreated = onCreated;
    fetch.forEach(config::setProperty);
    settings
        .rackIdSupplier()
        .map(supplier -> supplier.get())
        .filter(rack -> !rack.isEmpty())
        .ifPresent(rack -> config.setProperty(ConsumerConfig.CLIENT_RACK_CONFIG, rack));
  }

  private KafkaConsumers(
      KafkaConsumers reader,
      String clientId,
      KafkaConsumerFactory factory,
      java.util.function.Consumer<Consumer<byte[], byte[]>> onCreated) {
    this.config = reader.config;
    this.clientId = clientId;
    this.factory = factory;
    this.userCode = reader.userCode;
    this.onCreated = onCreated;
  }

  /** The same for one of several consumers, with a client id of its own. */
  KafkaConsumers numbered(
      int index,
      KafkaConsumerFactory own,
      java.util.function.Consumer<Consumer<byte[], byte[]>> created) {
    return new KafkaConsumers(this, clientId + "-c" + index, own, created);
  }

  @Override
  public Consumer<byte[], byte[]> create(
      Map<String, Object> overrides, Deserializer<byte[]> keys, Deserializer<byte[]> values) {
    Consumer<byte[], byte[]> consumer = consumer(clientId, overrides, keys, values);
    onCreated.accept(consumer);
    return consumer;
  }

  /** Another consumer, for a short time, that returns at most one record in a poll. */
  Consumer<byte[], byte[]> probe() {
    return consumer(
        clientId + "-probe-" + probes.getAndIncrement(),
        Map.of(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private Consumer<byte[], byte[]> consumer(
      String id,
      Map<String, Object> overrides,
      Deserializer<byte[]> keys,
      Deserializer<byte[]> values) {
    Map<String, Object> all = base();
    // The source reads by assignment: a group on this consumer would only fence it in.
    all.remove(ConsumerConfig.GROUP_ID_CONFIG);
    all.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
    all.remove(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
    all.remove(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
    all.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    all.putIfAbsent(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    all.put(ConsumerConfig.CLIENT_ID_CONFIG, id);
    all.putAll(overrides);
    return Objects.requireNonNull(
        inUserCode(() -> factory.create(all, keys, values)),
        "The consumer factory gave no consumer");
  }

  /** An Admin client for commits and lag; its name differs from the consumer's. */
  Admin admin() {
    Map<String, Object> all = new HashMap<>();
    for (Map.Entry<String, Object> entry : base().entrySet()) {
      if (AdminClientConfig.configNames().contains(entry.getKey())
          || !ConsumerConfig.configNames().contains(entry.getKey())) {
        all.put(entry.getKey(), entry.getValue());
      }
    }
    all.put(AdminClientConfig.CLIENT_ID_CONFIG, clientId + "-offsets");
    return inUserCode(() -> Admin.create(all));
  }

  @SuppressWarnings("try") // the context is closed, not used
  private <C> C inUserCode(Supplier<C> client) {
    try (TemporaryClassLoaderContext ignored = TemporaryClassLoaderContext.of(userCode)) {
      return client.get();
    }
  }

  private Map<String, Object> base() {
    Map<String, Object> all = new HashMap<>();
    for (String key : config.stringPropertyNames()) {
      all.put(key, config.getProperty(key));
    }
    return all;
  }
}

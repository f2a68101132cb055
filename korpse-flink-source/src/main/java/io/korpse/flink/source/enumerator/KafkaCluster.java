package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.SourceSettings;
import io.korpse.offsets.OffsetResolver;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Resolution;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The real cluster, by an Admin client that is made on the worker thread when first needed: making
 * one looks up addresses and may log in.
 */
final class KafkaCluster implements Cluster {

  private final SourceSettings settings;
  private final Subscription subscription;
  private final Clock clock;
  private final ClassLoader userCode;
  private final Supplier<Admin> clients;
  @Nullable private Admin admin;
  @Nullable private OffsetResolver resolver;
  private boolean closed;

  /**
   * A cluster that is not connected yet.
   *
   * @param userCode where Kafka looks for classes that the configuration names, as for logins
   */
  KafkaCluster(
      SourceSettings settings, Subscription subscription, ClassLoader userCode, Clock clock) {
    this(settings, subscription, userCode, clock, () -> Admin.create(AdminSettings.of(settings)));
  }

  KafkaCluster(
      SourceSettings settings,
      Subscription subscription,
      ClassLoader userCode,
      Clock clock,
      Supplier<Admin> clients) {
    this.clients = clients;
    this.userCode = userCode;
    this.settings = settings;
    this.subscription = subscription;
    this.clock = clock;
  }

  @Override
  public Discovered discover() throws Exception {
    return answer(this::subscribed);
  }

  @Override
  public Map<TopicPartition, Uuid> existing(Set<TopicPartition> partitions) throws Exception {
    return answer(client -> only(partitions, describe(client, topicsOf(partitions))).partitions());
  }

  private Discovered subscribed(Admin client) throws Exception {
    if (subscription instanceof Subscription.Topics topics) {
      return describe(client, topics.names());
    } else if (subscription instanceof Subscription.TopicPattern pattern) {
      Set<String> names =
          await(client.listTopics().names()).stream()
              .filter(pattern::matches)
              .collect(Collectors.toSet());
      // A topic that went away between the two requests was simply not there.
      return new Discovered(describe(client, names).partitions(), Set.of());
    } else if (subscription instanceof Subscription.Partitions wanted) {
      return only(wanted.partitions(), describe(client, wanted.topics()));
    }
    KafkaSubscriber subscriber = ((Subscription.Custom) subscription).subscriber();
    Set<TopicPartition> wanted = subscriber.getSubscribedTopicPartitions(client);
    return only(wanted, describe(client, topicsOf(wanted)));
  }

  private static Set<String> topicsOf(Set<TopicPartition> partitions) {
    return partitions.stream().map(TopicPartition::topic).collect(Collectors.toUnmodifiableSet());
  }

  /** A question to the brokers, which may take as long as each of its requests may. */
  private interface Question<T> {
    T ask(Admin client) throws Exception;
  }

  private <T> T answer(Question<T> question) throws Exception {
    Admin client = connect();
    try {
      return question.ask(client);
    } catch (TimeoutException | org.apache.kafka.common.errors.TimeoutException e) {
      throw new IOException(
          "Kafka at "
              + settings.bootstrapServers()
              + " did not answer within "
              + settings.connectTimeout().toMillis()
              + " ms; check the address (bootstrap.servers), the listener's security protocol and"
              + " the network",
          e);
    }
  }

  @Override
  public Map<TopicPartition, Resolution> resolve(
      Collection<TopicPartition> partitions, OffsetRule rule) {
    connect();
    return resolver.resolve(partitions, rule);
  }

  private Discovered describe(Admin client, Collection<String> topics) throws Exception {
    Map<TopicPartition, Uuid> found = new HashMap<>();
    Set<String> missing = new HashSet<>();
    Map<String, KafkaFuture<TopicDescription>> answers =
        client.describeTopics(topics).topicNameValues();
    for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
      try {
        TopicDescription topic = await(answer.getValue());
        for (TopicPartitionInfo partition : topic.partitions()) {
          found.put(new TopicPartition(topic.name(), partition.partition()), topic.topicId());
        }
      } catch (UnknownTopicOrPartitionException | InvalidTopicException e) {
        missing.add(answer.getKey());
      }
    }
    return new Discovered(found, missing);
  }

  private static Discovered only(Set<TopicPartition> wanted, Discovered all) {
    Map<TopicPartition, Uuid> found = new HashMap<>();
    Set<String> missing = new HashSet<>();
    for (TopicPartition partition : wanted) {
      Uuid topicId = all.partitions().get(partition);
      if (topicId == null) {
        missing.add(partition.toString());
      } else {
        found.put(partition, topicId);
      }
    }
    return new Discovered(found, missing);
  }

  private <T> T await(KafkaFuture<T> answer) throws Exception {
    try {
      return answer.get(settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  @SuppressWarnings("try") // the context is closed, not used
  private synchronized Admin connect() {
    if (closed) {
      throw new IllegalStateException("The enumerator is closed");
    }
    if (admin == null) {
      try (TemporaryClassLoaderContext ignored = TemporaryClassLoaderContext.of(userCode)) {
        admin = clients.get();
      } catch (RuntimeException e) {
        // Kafka's own message may quote configuration values, but never those of passwords.
        throw new IllegalStateException(
            "No Kafka client could be made for " + settings.bootstrapServers() + ": " + rootOf(e),
            e);
      }
      resolver =
          new OffsetResolver(
              admin,
              settings.groupId().orElse(null),
              settings.isolation(),
              settings.onDataLoss(),
              settings.connectTimeout(),
              clock);
      openSubscriber();
    }
    return admin;
  }

  private void openSubscriber() {
    if (subscription instanceof Subscription.Custom custom) {
      try {
        custom.subscriber().open(settings.kafka());
      } catch (Exception e) {
        throw new IllegalStateException(
            "The subscriber " + subscription.describe() + " could not be opened", e);
      }
    }
  }

  private static String rootOf(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  /** Ends calls that are still waiting: they fail on the worker thread. */
  @Override
  public synchronized void close() {
    closed = true;
    if (admin == null) {
      return;
    }
    admin.close(Duration.ZERO);
    if (subscription instanceof Subscription.Custom custom) {
      try {
        custom.subscriber().close();
      } catch (Exception e) {
        throw new IllegalStateException(
            "The subscriber " + subscription.describe() + " could not be closed", e);
      }
    }
  }
}

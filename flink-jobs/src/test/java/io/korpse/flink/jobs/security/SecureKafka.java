package io.korpse.flink.jobs.security;

import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.Listener;
import io.korpse.flink.jobs.local.LocalKafka;
import io.korpse.flink.jobs.local.Topics;
import io.korpse.flink.jobs.local.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A broker in its own process with TLS, logins and access rules. The test itself comes through the
 * plain listener, whose nameless user may do everything.
 */
final class SecureKafka {

  /** TLS; the client may stay nameless. */
  static final String TLS = "TLS";

  /** TLS; the client shows a certificate, too. */
  static final String MUTUAL = "MUTUAL";

  /** TLS with a certificate that has expired. */
  static final String EXPIRED = "EXPIRED";

  /** TLS and a login by PLAIN or SCRAM. */
  static final String LOGIN = "LOGIN";

  /** The longest that a login is good for: after that a client must show its password again. */
  static final Duration LOGIN_LASTS = Duration.ofSeconds(3);

  static final Duration A_WHILE = Duration.ofMinutes(2);

  private final LocalKafka kafka;
  private final Certificates authority;

  private SecureKafka(LocalKafka kafka, Certificates authority) {
    this.kafka = kafka;
    this.authority = authority;
  }

  /**
   * Starts it and waits until it answers.
   *
   * @param storePassword of the broker's key stores
   * @param client whose certificate {@link #MUTUAL} accepts
   * @param plainUsers passwords of those who log in by PLAIN
   */
  static SecureKafka start(
      Workspace workspace,
      Classpath jars,
      String storePassword,
      Certificates client,
      Map<String, String> plainUsers)
      throws Exception {
    Path directory = workspace.subdirectory("certificates");
    Certificates authority =
        Certificates.make(directory, "authority", storePassword, "-validity", "30", "-ext", "bc:c");
    Certificates server = Certificates.make(directory, "server", authority, "-validity", "30");
    Certificates old =
        Certificates.make(directory, "expired", authority, "-startdate", "-10d", "-validity", "3");
    Map<String, String> settings = new HashMap<>();
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.keystore.location", server.keyStore().toString());
    settings.put("ssl.keystore.password", storePassword);
    settings.put("ssl.key.password", storePassword);
    settings.put("listener.name.expired.ssl.keystore.type", "PKCS12");
    settings.put("listener.name.expired.ssl.keystore.location", old.keyStore().toString());
    settings.put("listener.name.expired.ssl.keystore.password", storePassword);
    settings.put("listener.name.expired.ssl.key.password", storePassword);
    settings.put("listener.name.mutual.ssl.client.auth", "required");
    settings.put("listener.name.mutual.ssl.truststore.type", "PEM");
    settings.put(
        "listener.name.mutual.ssl.truststore.location", client.certificateFile().toString());
    settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256");
    StringBuilder users = new StringBuilder();
    plainUsers.forEach((user, secret) -> users.append(" user_" + user + "=\"" + secret + "\""));
    settings.put(
        "listener.name.login.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required" + users + ";");
    settings.put(
        "listener.name.login.scram-sha-256.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    settings.put("connections.max.reauth.ms", Long.toString(LOGIN_LASTS.toMillis()));
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    settings.put("super.users", "User:ANONYMOUS");
    LocalKafka kafka =
        LocalKafka.start(
            workspace,
            jars,
            1,
            settings,
            List.of(
                new Listener(TLS, "SSL", false),
                new Listener(MUTUAL, "SSL", false),
                new Listener(EXPIRED, "SSL", false),
                new Listener(LOGIN, "SASL_SSL", false)));
    kafka.awaitReady(A_WHILE);
    return new SecureKafka(kafka, authority);
  }

  Admin admin() {
    return kafka.admin();
  }

  /** Settings of a client of the listener that trusts the broker. */
  Map<String, String> client(String listener) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("bootstrap.servers", kafka.bootstrapServers(listener));
    settings.put("security.protocol", listener.equals(LOGIN) ? "SASL_SSL" : "SSL");
    settings.put("ssl.truststore.type", "PEM");
    settings.put("ssl.truststore.certificates", authority.certificate());
    return settings;
  }

  /** Settings of a client that logs in. */
  Map<String, String> login(String mechanism, String user, String password) throws Exception {
    Map<String, String> settings = client(LOGIN);
    String module = mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
    settings.put("sasl.mechanism", mechanism);
    settings.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.%s required username=\"%s\" password=\"%s\";"
            .formatted(module, user, password));
    return settings;
  }

  /** Gives a user of SCRAM a password, or a new one. */
  void setPassword(String user, String password) throws Exception {
    try (Admin admin = admin()) {
      admin
          .alterUserScramCredentials(
              List.of(
                  new UserScramCredentialUpsertion(
                      user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }

  /** Allows a user to do something with a topic or group. */
  void allow(String user, ResourceType type, String name, AclOperation... operations)
      throws Exception {
    allow(user, new ResourcePattern(type, name, PatternType.LITERAL), operations);
  }

  /** Allows a user to do something with all topics or such whose names begin so. */
  void allowPrefixed(String user, ResourceType type, String prefix, AclOperation... operations)
      throws Exception {
    allow(user, new ResourcePattern(type, prefix, PatternType.PREFIXED), operations);
  }

  private void allow(String user, ResourcePattern resource, AclOperation... operations)
      throws Exception {
    List<AclBinding> rules = new ArrayList<>();
    for (AclOperation operation : operations) {
      rules.add(
          new AclBinding(
              resource,
              new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW)));
    }
    try (Admin admin = admin()) {
      admin.createAcls(rules).all().get(30, TimeUnit.SECONDS);
    }
  }

  /** Takes from a user what it may do with a topic or group. */
  void withdraw(String user, ResourceType type, String name) throws Exception {
    AclBindingFilter rights =
        new AclBindingFilter(
            new ResourcePatternFilter(type, name, PatternType.LITERAL),
            new AccessControlEntryFilter(
                "User:" + user, null, AclOperation.ANY, AclPermissionType.ANY));
    try (Admin admin = admin()) {
      admin.deleteAcls(List.of(rights)).all().get(30, TimeUnit.SECONDS);
    }
  }

  /** Creates a topic with one partition and numbered values. */
  void createTopic(String topic, int values) throws Exception {
    try (Admin admin = admin()) {
      Topics.create(admin, new NewTopic(topic, 1, (short) 1));
    }
    write(topic, 0, values);
  }

  /** Writes the values from one number up to another. */
  void write(String topic, int from, int to) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int number = from; number < to; number++) {
        producer
            .send(new ProducerRecord<>(topic, Integer.toString(number)))
            .get(30, TimeUnit.SECONDS);
      }
    }
  }

  /** What the group has committed for the topic's only partition; -1 for nothing. */
  long committed(String group, String topic) throws Exception {
    try (Admin admin = admin()) {
      return admin
          .listConsumerGroupOffsets(group)
          .partitionsToOffsetAndMetadata()
          .get()
          .entrySet()
          .stream()
          .filter(entry -> entry.getKey().topic().equals(topic))
          .mapToLong(entry -> entry.getValue().offset())
          .findFirst()
          .orElse(-1);
    }
  }
}

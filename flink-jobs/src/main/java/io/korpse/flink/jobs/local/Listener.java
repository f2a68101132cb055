package io.korpse.flink.jobs.local;

/**
 * A listener for clients that every broker of a {@link LocalKafka} has besides the plain one.
 *
 * @param name what Kafka's settings call it, in capitals
 * @param protocol PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL
 * @param relayed whether clients come through a {@link Relay}
 */
public record Listener(String name, String protocol, boolean relayed) {}

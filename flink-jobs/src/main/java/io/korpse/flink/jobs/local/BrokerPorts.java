package io.korpse.flink.jobs.local;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where one broker listens, and where its clients are told to go.
 *
 * @param protocols security protocol of each listener
 * @param bound port that the broker listens at, by listener
 * @param advertised port that clients use, by listener: that of the relay, if there is one
 * @param relays the relays, by listener
 */
record BrokerPorts(
    Map<String, String> protocols,
    Map<String, Integer> bound,
    Map<String, Integer> advertised,
    Map<String, Relay> relays) {

  /** The listener that every broker has; brokers talk to each other over it. */
  static final String PLAIN = "PLAINTEXT";

  private static final String CONTROLLER = "CONTROLLER";

  /** Takes free ports for the plain listener and the given ones, and starts the relays. */
  static BrokerPorts choose(List<Listener> listeners) {
    Map<String, String> protocols = new LinkedHashMap<>();
    Map<String, Integer> bound = new LinkedHashMap<>();
    Map<String, Integer> advertised = new LinkedHashMap<>();
    Map<String, Relay> relays = new LinkedHashMap<>();
    int plain = Ports.free(1).get(0);
    protocols.put(PLAIN, PLAIN);
    bound.put(PLAIN, plain);
    advertised.put(PLAIN, plain);
    for (Listener listener : listeners) {
      List<Integer> ports = Ports.free(2);
      protocols.put(listener.name(), listener.protocol());
      bound.put(listener.name(), ports.get(0));
      advertised.put(listener.name(), ports.get(listener.relayed() ? 1 : 0));
      if (listener.relayed()) {
        relays.put(listener.name(), Relay.start(ports.get(1), ports.get(0)));
      }
    }
    return new BrokerPorts(protocols, bound, advertised, relays);
  }

  /** The broker's settings. */
  Map<String, String> settings(int controllerPort) {
    return Map.of(
        "listeners",
        addresses(bound) + "," + CONTROLLER + "://" + LocalKafka.HOST + ":" + controllerPort,
        "advertised.listeners",
        addresses(advertised),
        "inter.broker.listener.name",
        PLAIN,
        "controller.listener.names",
        CONTROLLER,
        "listener.security.protocol.map",
        protocols.entrySet().stream()
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .collect(Collectors.joining(","))
            + ","
            + CONTROLLER
            + ":"
            + PLAIN);
  }

  private static String addresses(Map<String, Integer> ports) {
    return ports.entrySet().stream()
        .map(entry -> entry.getKey() + "://" + LocalKafka.HOST + ":" + entry.getValue())
        .collect(Collectors.joining(","));
  }
}

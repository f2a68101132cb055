package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.ChildProcess;
import io.korpse.flink.jobs.local.LocalBroker;
import io.korpse.flink.jobs.local.LocalFlink;
import io.korpse.flink.jobs.local.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;

/** Does harm to a cluster. Not thread-safe. */
final class Injector {

  private static final int MORE_PARTITIONS = 2;

  private final ChaosCluster cluster;
  private final Admin admin;
  private final NumberWriter writer;
  private final Roles roles;
  private final Set<String> frozen = new HashSet<>();

  /**
   * An injector.
   *
   * @param cluster what is harmed
   * @param admin a client that is not cut off
   * @param writer is told of new partitions
   */
  Injector(ChaosCluster cluster, Admin admin, NumberWriter writer) {
    this.cluster = cluster;
    this.admin = admin;
    this.writer = writer;
    this.roles = new Roles(admin);
  }

  /**
   * Does what is planned and returns what it was done to; the cluster is whole again, if shaken.
   */
  String inject(Fault fault) throws InterruptedException, ExecutionException, IOException {
    LocalFlink flink = cluster.flink();
    return switch (fault.kind()) {
      case TASKMANAGER_KILL -> {
        ChildProcess victim = kill(taskManager(fault));
        flink.startTaskManager();
        yield victim.name();
      }
      case TASKMANAGER_FREEZE -> {
        ChildProcess victim = taskManager(fault);
        frozen.addAll(cluster.readersOn(victim));
        yield freeze(victim, fault);
      }
      case JOBMANAGER_KILL -> {
        ChildProcess victim = kill(flink.leadingJobManager(ChaosCluster.TIME_TO_RECOVER));
        flink.startJobManager();
        yield victim.name();
      }
      case FLINK_KILL -> {
        cluster.replaceFlink();
        yield "flink";
      }
      case LEADER_KILL -> restart(roles.leader(ChaosCluster.ORIGINAL, fault.choice()), fault);
      case COORDINATOR_KILL -> restart(roles.coordinator(ChaosCluster.GROUP), fault);
      case CONTROLLER_KILL -> restart(roles.controller(), fault);
      case BROKER_FREEZE -> {
        List<LocalBroker> brokers = cluster.kafka().brokers();
        yield freeze(brokers.get(fault.choice() % brokers.size()).process(), fault);
      }
      case BROKERS_ROLL -> roll();
      case CUT_FETCH ->
          cut(List.of(broker(roles.leader(ChaosCluster.ORIGINAL, fault.choice()))), fault);
      case CUT_COMMIT -> cut(List.of(broker(roles.coordinator(ChaosCluster.GROUP))), fault);
      case CUT_DISCOVERY -> cut(cluster.kafka().brokers(), fault);
      case CUT_LONG -> {
        LocalBroker victim = broker(roles.leader(ChaosCluster.ORIGINAL, fault.choice()));
        cut(List.of(victim.relay(ChaosCluster.CLIENTS)), Relay.Cut.SILENT, fault.lastsMillis());
        yield "broker-" + victim.nodeId() + " silent";
      }
      case CUT_RPC -> {
        cut(flink.relays(), how(fault), fault.lastsMillis());
        yield "flink " + how(fault).name().toLowerCase(Locale.ROOT);
      }
      case STORAGE_FAILURE -> failStorage(fault);
      case ADD_PARTITIONS -> addPartitions();
      case SAVEPOINT -> {
        cluster.resume(cluster.parallelism());
        yield "parallelism " + cluster.parallelism();
      }
      case RESCALE -> {
        int before = cluster.parallelism();
        int most = ChaosCluster.MOST_SLOTS;
        cluster.resume(1 + (before + fault.choice() % (most - 1)) % most);
        yield before + " to " + cluster.parallelism();
      }
    };
  }

  /** The attempts of readers that were on TaskManagers when these were frozen. */
  Set<String> frozen() {
    return frozen;
  }

  private ChildProcess taskManager(Fault fault) {
    List<ChildProcess> alive =
        cluster.flink().taskManagers().stream().filter(ChildProcess::isAlive).toList();
    return alive.get(fault.choice() % alive.size());
  }

  private LocalBroker broker(int nodeId) {
    return cluster.kafka().broker(nodeId);
  }

  private static ChildProcess kill(ChildProcess victim) {
    victim.kill();
    victim.awaitEnd();
    return victim;
  }

  private static String freeze(ChildProcess victim, Fault fault) throws InterruptedException {
    victim.freeze();
    try {
      Thread.sleep(fault.lastsMillis());
    } finally {
      victim.thaw();
    }
    return victim.name();
  }

  private String restart(int nodeId, Fault fault) throws InterruptedException {
    LocalBroker victim = broker(nodeId);
    kill(victim.process());
    Thread.sleep(fault.lastsMillis());
    victim.start();
    return "broker-" + nodeId;
  }

  private String roll() {
    for (LocalBroker broker : cluster.kafka().brokers()) {
      broker.process().terminate();
      broker.process().awaitEnd();
      broker.start();
      cluster.kafka().awaitReady(ChaosCluster.TIME_TO_RECOVER);
      roles.awaitAllInSync(
          List.of(ChaosCluster.ORIGINAL, ChaosCluster.COPY, CommitLog.TOPIC),
          ChaosCluster.TIME_TO_RECOVER);
    }
    return cluster.kafka().brokers().size() + " brokers";
  }

  private static String cut(List<LocalBroker> brokers, Fault fault) throws InterruptedException {
    cut(
        brokers.stream().map(broker -> broker.relay(ChaosCluster.CLIENTS)).toList(),
        how(fault),
        Math.max(fault.lastsMillis(), 2 * ChaosCluster.DISCOVERY_INTERVAL.toMillis()));
    return brokers.stream()
            .map(broker -> Integer.toString(broker.nodeId()))
            .collect(Collectors.joining("+", "broker-", " "))
        + how(fault).name().toLowerCase(Locale.ROOT);
  }

  private static Relay.Cut how(Fault fault) {
    return fault.choice() % 2 == 0 ? Relay.Cut.SILENT : Relay.Cut.RESET;
  }

  private static void cut(List<Relay> relays, Relay.Cut how, long millis)
      throws InterruptedException {
    relays.forEach(relay -> relay.cut(how));
    try {
      Thread.sleep(millis);
    } finally {
      relays.forEach(Relay::heal);
    }
  }

  /** Puts a file where the directory of the checkpoints was, which fails also for root. */
  private String failStorage(Fault fault) throws InterruptedException, IOException {
    Path directory = cluster.checkpoints();
    Path away = directory.resolveSibling("checkpoints.away");
    Files.move(directory, away);
    Files.writeString(directory, "");
    try {
      Thread.sleep(fault.lastsMillis());
    } finally {
      Files.delete(directory);
      Files.move(away, directory);
    }
    return directory.getFileName().toString();
  }

  private String addPartitions() throws InterruptedException, ExecutionException {
    int before = roles.partitions(ChaosCluster.ORIGINAL);
    int after = Math.min(before + MORE_PARTITIONS, NumberWriter.MOST_PARTITIONS);
    if (after > before) {
      // The copy first: the job writes to the same partition number.
      for (String topic : List.of(ChaosCluster.COPY, ChaosCluster.ORIGINAL)) {
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(after))).all().get();
        // A leader that does not know its partition yet refuses the first batch of an idempotent
        // producer, takes the second when it does, and then the first is out of order for ever.
        roles.awaitLed(topic, after, ChaosCluster.TIME_TO_RECOVER);
      }
      writer.useAlso(after);
    }
    return before + " to " + after;
  }
}

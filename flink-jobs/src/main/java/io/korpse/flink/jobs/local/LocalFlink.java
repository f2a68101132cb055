package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A Flink session cluster with its web page: one JobManager and any number of TaskManagers, each in
 * its own process. Its class path has Flink and the logger alone, as a distribution has, so a job
 * jar must bring all else. It ends with its workspace.
 */
public final class LocalFlink {

  static final String HOST = "127.0.0.1";

  private static final String JOB_MANAGER =
      "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
  private static final String TASK_MANAGER =
      "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

  private static final String CLUSTER_ID = "high-availability.cluster-id";

  /** Packages that Flink opens on Java 17. */
  private static final List<String> OPENS =
      List.of(
          "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
          "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.text=ALL-UNNAMED",
          "--add-opens=java.base/java.time=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED");

  private final Workspace workspace;
  private final List<Path> classPath;
  private final Path configuration;
  private final Map<String, String> settings;
  private final int restPort;
  private final List<JobManager> jobManagers = new CopyOnWriteArrayList<>();
  private final List<ChildProcess> taskManagers = new CopyOnWriteArrayList<>();
  private final boolean relayed;
  private final List<Relay> relays = new CopyOnWriteArrayList<>();
  private List<String> clusterOptions = List.of();
  private int startedMasters;
  private int startedWorkers;
  private int clusters;

  private record JobManager(ChildProcess process, int restPort, FlinkRest rest) {}

  private LocalFlink(
      Workspace workspace,
      List<Path> classPath,
      Path configuration,
      Map<String, String> settings,
      int restPort,
      boolean relayed) {
    this.workspace = workspace;
    this.classPath = classPath;
    this.configuration = configuration;
    this.settings = settings;
    this.restPort = restPort;
    this.relayed = relayed;
  }

  /**
   * Starts a JobManager and TaskManagers; returns before they answer.
   *
   * @param workspace where they keep checkpoints, data and logs
   * @param jars the class paths of the build
   * @param restPort port of the REST interface and the web page
   * @param taskManagers number of TaskManagers
   * @param overrides Flink configuration
   */
  public static LocalFlink start(
      Workspace workspace,
      Classpath jars,
      int restPort,
      int taskManagers,
      Map<String, String> overrides) {
    return start(workspace, jars, restPort, taskManagers, overrides, false);
  }

  /**
   * As {@link #start(Workspace, Classpath, int, int, Map)}, of a highly available cluster whose
   * JobManagers and TaskManagers call each other through relays.
   */
  public static LocalFlink startRelayed(
      Workspace workspace,
      Classpath jars,
      int restPort,
      int taskManagers,
      Map<String, String> overrides) {
    return start(workspace, jars, restPort, taskManagers, overrides, true);
  }

  private static LocalFlink start(
      Workspace workspace,
      Classpath jars,
      int restPort,
      int taskManagers,
      Map<String, String> overrides,
      boolean relayed) {
    Map<String, String> settings = settings(workspace, restPort);
    settings.putAll(overrides);
    Path directory = workspace.subdirectory("flink-conf");
    StringBuilder yaml = new StringBuilder();
    settings.forEach((key, value) -> yaml.append(key).append(": ").append(value).append('\n'));
    try {
      Files.writeString(directory.resolve("config.yaml"), yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LocalFlink flink =
        new LocalFlink(workspace, jars.flink(), directory, settings, restPort, relayed);
    flink.startJobManager();
    for (int i = 0; i < taskManagers; i++) {
      flink.startTaskManager();
    }
    return flink;
  }

  private static Map<String, String> settings(Workspace workspace, int restPort) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("jobmanager.rpc.address", HOST);
    settings.put("jobmanager.bind-host", HOST);
    settings.put("jobmanager.rpc.port", Ports.free(1).get(0).toString());
    settings.put("rest.address", HOST);
    settings.put("rest.bind-address", HOST);
    settings.put("rest.port", Integer.toString(restPort));
    settings.put("rest.bind-port", Integer.toString(restPort));
    settings.put("io.tmp.dirs", workspace.subdirectory("flink-tmp").toString());
    settings.put("web.tmpdir", workspace.subdirectory("flink-web").toString());
    settings.put(
        "execution.checkpointing.dir", workspace.subdirectory("checkpoints").toUri().toString());
    settings.put("taskmanager.host", HOST);
    settings.put("taskmanager.bind-host", HOST);
    settings.put("taskmanager.numberOfTaskSlots", "2");
    // A lost process is noticed within seconds, not within the default of 50 s.
    settings.put("heartbeat.interval", "1 s");
    settings.put("heartbeat.timeout", "8 s");
    settings.put("heartbeat.rpc-failure-threshold", "2");
    settings.put("metrics.fetcher.update-interval", "500");
    settings.put("web.refresh-interval", "1000");
    settings.put("restart-strategy.type", "fixed-delay");
    settings.put("restart-strategy.fixed-delay.attempts", "50");
    settings.put("restart-strategy.fixed-delay.delay", "500 ms");
    // A TaskManager that is not started by Flink's shell scripts needs all of these.
    settings.put("taskmanager.cpu.cores", "2");
    settings.put("taskmanager.memory.framework.heap.size", "128m");
    settings.put("taskmanager.memory.framework.off-heap.size", "128m");
    settings.put("taskmanager.memory.task.heap.size", "384m");
    settings.put("taskmanager.memory.task.off-heap.size", "0b");
    settings.put("taskmanager.memory.managed.size", "32m");
    settings.put("taskmanager.memory.network.min", "64m");
    settings.put("taskmanager.memory.network.max", "64m");
    settings.put("taskmanager.memory.jvm-metaspace.size", "256m");
    settings.put("taskmanager.memory.jvm-overhead.min", "192m");
    settings.put("taskmanager.memory.jvm-overhead.max", "192m");
    return settings;
  }

  /**
   * Starts a JobManager: the first, one in place of one that has ended, or, when the configuration
   * makes the cluster highly available, a standby, whose REST interface has a port of its own.
   */
  public void startJobManager() {
    jobManagers.removeIf(other -> !other.process().isAlive());
    boolean free = jobManagers.stream().noneMatch(other -> other.restPort() == restPort);
    int port = free ? restPort : Ports.free(1).get(0);
    List<String> options =
        new ArrayList<>(List.of("-D", "rest.port=" + port, "-D", "rest.bind-port=" + port));
    options.addAll(relay("high-availability.jobmanager.port", "jobmanager.rpc.bind-port"));
    ChildProcess process =
        workspace.start(
            command(
                "jobmanager-" + ++startedMasters,
                List.of("-Xmx384m", "-XX:+UseSerialGC"),
                JOB_MANAGER,
                options));
    jobManagers.add(new JobManager(process, port, new FlinkRest("http://" + HOST + ":" + port)));
  }

  /** Starts one more TaskManager; returns before it is registered. */
  public ChildProcess startTaskManager() {
    String name = "taskmanager-" + ++startedWorkers;
    List<String> options = new ArrayList<>(List.of("-D", "taskmanager.resource-id=" + name));
    options.addAll(relay("taskmanager.rpc.port", "taskmanager.rpc.bind-port"));
    ChildProcess taskManager =
        workspace.start(
            command(
                name,
                List.of("-Xmx512m", "-XX:MaxDirectMemorySize=192m", "-XX:+UseG1GC"),
                TASK_MANAGER,
                options));
    taskManagers.removeIf(other -> !other.isAlive());
    taskManagers.add(taskManager);
    return taskManager;
  }

  /** Options of a process whose calls come through a relay, if they are to. */
  private List<String> relay(String portOption, String bindPortOption) {
    if (!relayed) {
      return List.of();
    }
    List<Integer> ports = Ports.free(2);
    Relay relay = Relay.start(ports.get(0), ports.get(1));
    workspace.onClose(relay::close);
    relays.add(relay);
    return List.of(
        "-D", portOption + "=" + ports.get(0), "-D", bindPortOption + "=" + ports.get(1));
  }

  /**
   * What calls between JobManagers and TaskManagers come through, also that of processes which have
   * ended; empty unless started with relays.
   */
  public List<Relay> relays() {
    return relays;
  }

  /**
   * Kills every process as {@code kill -9} does, and starts as many anew. What a highly available
   * cluster remembers of its jobs is left behind.
   */
  public void replace() {
    List<ChildProcess> old = new ArrayList<>(taskManagers);
    jobManagers.forEach(jobManager -> old.add(jobManager.process()));
    int masters = jobManagers.size();
    int workers = taskManagers.size();
    old.forEach(ChildProcess::kill);
    old.forEach(ChildProcess::awaitEnd);
    settings.put(CLUSTER_ID, "/cluster-" + ++clusters);
    clusterOptions = List.of("-D", CLUSTER_ID + "=" + settings.get(CLUSTER_ID));
    for (int i = 0; i < masters; i++) {
      startJobManager();
    }
    for (int i = 0; i < workers; i++) {
      startTaskManager();
    }
  }

  private JavaCommand command(
      String name, List<String> memory, String mainClass, List<String> dynamicOptions) {
    List<String> options = new ArrayList<>(memory);
    options.addAll(OPENS);
    List<String> arguments = new ArrayList<>(List.of("--configDir", configuration.toString()));
    arguments.addAll(clusterOptions);
    arguments.addAll(dynamicOptions);
    return new JavaCommand(name, classPath, options, mainClass, arguments);
  }

  /** The JobManager that has been there longest; with a standby, not always the one that leads. */
  public ChildProcess jobManager() {
    return oldest().process();
  }

  /**
   * The JobManager of a highly available cluster that has been elected.
   *
   * @throws IllegalStateException when none has been in time
   */
  public ChildProcess leadingJobManager(Duration atMost) {
    String address = Election.leader(settings, atMost);
    return jobManagers.stream()
        .filter(jobManager -> jobManager.rest().url().equals(address))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("None of the JobManagers is at " + address))
        .process();
  }

  /** The TaskManagers that were alive when last one was started. */
  public List<ChildProcess> taskManagers() {
    return taskManagers;
  }

  /**
   * The REST interface of {@link #jobManager()}, which asks the leader; its address is also that of
   * the web page.
   */
  public FlinkRest rest() {
    return oldest().rest();
  }

  private JobManager oldest() {
    return jobManagers.stream()
        .filter(jobManager -> jobManager.process().isAlive())
        .findFirst()
        .orElse(jobManagers.get(0));
  }

  /**
   * Waits until the web page answers and slots are registered.
   *
   * @throws IllegalStateException when time is up or every JobManager has ended
   */
  public void awaitSlots(int slots, Duration atMost) {
    Await.until(
        slots + " slots at " + rest().url(),
        atMost,
        () -> {
          jobManager().requireAlive();
          return rest().availableSlots() >= slots;
        });
  }
}

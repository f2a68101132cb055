package io.korpse.flink.source.testing;

import static org.awaitility.Awaitility.await;

import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job with one source under a fixed uid, on the MiniCluster of the test. */
public final class RunningJob<T> implements AutoCloseable {

  private final JobClient client;
  private final Received<T> received;

  private RunningJob(JobClient client, Received<T> received) {
    this.client = client;
    this.received = received;
  }

  /** Starts a job with checkpoints; {@code savepoint} is null for a fresh start. */
  public static <T> RunningJob<T> start(
      Source<T, ?, ?> source, int parallelism, @Nullable String savepoint) throws Exception {
    return start(source, null, parallelism, savepoint);
  }

  /** Starts a job; {@code type} is null when the source tells its own. */
  public static <T> RunningJob<T> start(
      Source<T, ?, ?> source,
      @Nullable TypeInformation<T> type,
      int parallelism,
      @Nullable String savepoint)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    if (savepoint != null) {
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    }
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(parallelism);
    env.enableCheckpointing(500);
    DataStream<T> stream =
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "source", type).uid("source-uid");
    Received<T> received = new Received<>();
    received.collect(stream);
    return new RunningJob<>(env.executeAsync(), received);
  }

  /** The id under which Flink knows the job. */
  public JobID id() {
    return client.getJobID();
  }

  /** What has come so far. */
  public List<T> values() {
    return received.values();
  }

  /** Waits until this many elements have come, or the job has failed. */
  public List<T> awaitCount(int count) {
    await()
        .atMost(EmbeddedBroker.patience())
        .pollInterval(Duration.ofMillis(50))
        .until(() -> received.values().size() >= count || status() == JobStatus.FAILED);
    return received.values();
  }

  /** The state that the job is in. */
  public JobStatus status() {
    return client.getJobStatus().join();
  }

  /** Waits for the job's end, and throws what it failed with. */
  public void awaitEnd() throws Exception {
    client.getJobExecutionResult().get(90, TimeUnit.SECONDS);
  }

  /** Stops the job without draining it and returns the savepoint. */
  public String stop(Path directory) throws Exception {
    return client
        .stopWithSavepoint(false, directory.toUri().toString(), SavepointFormatType.CANONICAL)
        .get(60, TimeUnit.SECONDS);
  }

  /** Cancels the job if it still runs. */
  @Override
  public void close() {
    if (!status().isGloballyTerminalState()) {
      client.cancel().orTimeout(60, TimeUnit.SECONDS).join();
    }
  }
}

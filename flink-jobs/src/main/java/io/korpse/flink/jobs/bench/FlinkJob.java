package io.korpse.flink.jobs.bench;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job of a source and a sink on a Flink cluster in this process. */
final class FlinkJob implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final JobClient client;
  private final ProbeSink<?> sink;

  private FlinkJob(JobClient client, ProbeSink<?> sink) {
    this.client = client;
    this.sink = sink;
  }

  /** One slot per subtask, a checkpoint per second, no restarts, objects reused along the chain. */
  static Configuration configuration(Settings settings) {
    int parallelism = settings.has(Option.PARALLELISM) ? settings.number(Option.PARALLELISM) : 1;
    Configuration configuration = new Configuration();
    configuration.setString("parallelism.default", Integer.toString(parallelism));
    configuration.setString("rest.port", "0");
    configuration.setString("rest.bind-port", "0");
    configuration.setString("restart-strategy.type", "none");
    configuration.setString("execution.checkpointing.interval", "1s");
    configuration.setString("execution.checkpointing.storage", "jobmanager");
    configuration.setString("pipeline.object-reuse", "true");
    configuration.setString("metrics.reporters", "bench");
    configuration.setString(
        "metrics.reporter.bench.factory.class", GaugeReporter.Factory.class.getName());
    return configuration;
  }

  static <T> FlinkJob start(
      Configuration configuration,
      Source<T, ?, ?> source,
      WatermarkStrategy<T> watermarks,
      RecordProbe<T> probe)
      throws Exception {
    return start(configuration, source, watermarks, records -> records, probe);
  }

  /** A job of a source, what {@code middle} makes of its records, and a sink. */
  static <T, R> FlinkJob start(
      Configuration configuration,
      Source<T, ?, ?> source,
      WatermarkStrategy<T> watermarks,
      Function<DataStream<T>, DataStream<R>> middle,
      RecordProbe<R> probe)
      throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(configuration);
    ProbeSink<R> sink = ProbeSink.of(probe);
    DataStream<T> records = environment.fromSource(source, watermarks, "source").uid("source");
    middle.apply(records).sinkTo(sink).uid("sink");
    return new FlinkJob(environment.executeAsync("bench"), sink);
  }

  /** Waits for a bounded job; fails as the job does. */
  void awaitEnd() throws ExecutionException, InterruptedException {
    client.getJobExecutionResult().get();
  }

  /**
   * Waits until {@code done}, asked every 20 ms.
   *
   * @throws IllegalStateException if the job ends before
   */
  void awaitWhileRunning(BooleanSupplier done) throws InterruptedException {
    for (int i = 1; !done.getAsBoolean(); i++) {
      TimeUnit.MILLISECONDS.sleep(20);
      if (i % 50 == 0 && !running()) {
        throw new IllegalStateException("The job ended: " + failure());
      }
    }
  }

  boolean running() throws InterruptedException {
    try {
      JobStatus status = client.getJobStatus().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      return !status.isGloballyTerminalState() && status != JobStatus.FAILING;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  JobClient client() {
    return client;
  }

  /** Why the job failed; empty if it did not, or nobody can say any more. */
  String failure() throws InterruptedException {
    try {
      client.getJobExecutionResult().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      return "";
    } catch (ExecutionException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      return cause.toString();
    } catch (TimeoutException e) {
      return "";
    }
  }

  /** Cancels the job if it still runs, and waits until it has ended. */
  @Override
  public void close() {
    try {
      await(client.cancel());
      await(client.getJobExecutionResult());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      // The cluster of an ended job is gone, and with it whoever would answer.
    } finally {
      sink.forget();
    }
  }

  private static void await(CompletableFuture<?> future) throws InterruptedException {
    try {
      future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // It has ended before, or was cancelled just now; what a run makes of that is its own affair.
    }
  }
}

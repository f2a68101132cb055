package io.korpse.flink.source.testing;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A batch job with two readers, the first attempt of the second of which has trouble. */
public final class BatchJob {

  private BatchJob() {}

  /**
   * Runs the job to its end on the MiniCluster of the test.
   *
   * @param trouble befalls the attempt after it has read some of its records
   * @return what came out
   */
  public static List<String> run(
      Source<String, ?, ?> source,
      Configuration configuration,
      TroubledFirstAttempt.Trouble trouble)
      throws Exception {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    // One collector, which has nobody to be slower than.
    env.setParallelism(1);
    Received<String> received = new Received<>();
    received.collect(
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "source")
            .setParallelism(2)
            .map(new TroubledFirstAttempt(trouble))
            .setParallelism(2)
            .rebalance());
    env.executeAsync().getJobExecutionResult().get(120, TimeUnit.SECONDS);
    return received.values();
  }
}

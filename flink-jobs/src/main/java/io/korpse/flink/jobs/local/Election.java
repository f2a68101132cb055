package io.korpse.flink.jobs.local;

import java.time.Duration;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.highavailability.ClientHighAvailabilityServices;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesUtils;
import org.apache.flink.runtime.leaderretrieval.LeaderRetrievalException;
import org.apache.flink.runtime.util.LeaderRetrievalUtils;

/** Asks, as Flink's own clients do, which JobManager of a highly available cluster leads. */
final class Election {

  private Election() {}

  /**
   * The address of the leader's REST interface.
   *
   * @param settings of the cluster
   * @throws IllegalStateException when none has been elected in time
   */
  static String leader(Map<String, String> settings, Duration atMost) {
    try {
      ClientHighAvailabilityServices services =
          HighAvailabilityServicesUtils.createClientHAService(
              Configuration.fromMap(settings),
              error -> {
                throw new IllegalStateException("The election cannot be followed", error);
              });
      try {
        return LeaderRetrievalUtils.retrieveLeaderInformation(
                services.getClusterRestEndpointLeaderRetriever(), atMost)
            .getLeaderAddress();
      } finally {
        services.close();
      }
    } catch (LeaderRetrievalException e) {
      throw new IllegalStateException("No JobManager leads", e);
    } catch (Exception e) {
      throw new IllegalStateException("Nobody can say which JobManager leads", e);
    }
  }
}

package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.Await;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Follows the committed positions of a group on a thread of its own, and has them audited. The
 * methods may be called from any thread.
 */
final class GroupWatch implements AutoCloseable {

  private static final long LOOK_MILLIS = 250;
  private static final long PATIENCE_SECONDS = 10;

  private final Admin admin;
  private final String group;
  private final CheckpointPositions checkpoints;
  private final CommitAudit audit;
  private final Thread thread = new Thread(this::follow, "group-watch");
  private volatile boolean stopped;
  private volatile RuntimeException failure;

  GroupWatch(Admin admin, String group, CheckpointPositions checkpoints) {
    this.admin = admin;
    this.group = group;
    this.checkpoints = checkpoints;
    this.audit = new CommitAudit(checkpoints);
    thread.setDaemon(true);
    thread.start();
  }

  private void follow() {
    try {
      while (!stopped) {
        look();
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (InterruptedException e) {
      // Closed.
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private void look() throws InterruptedException {
    try {
      Map<TopicPartition, OffsetAndMetadata> now = committed();
      // In this order: what is committed was in a completed checkpoint before.
      if (checkpoints.refresh()) {
        audit.watch(now);
      }
    } catch (ExecutionException | TimeoutException e) {
      // A broker is down on purpose; the next look will tell. Checkpoints come and go meanwhile.
      checkpoints.refresh();
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> committed()
      throws InterruptedException, ExecutionException, TimeoutException {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits until the group has committed everything that is in the topic. */
  void awaitEnd(String topic, int partitions, Duration atMost) {
    Map<TopicPartition, OffsetSpec> latest =
        IntStream.range(0, partitions)
            .boxed()
            .collect(Collectors.toMap(p -> new TopicPartition(topic, p), p -> OffsetSpec.latest()));
    Await.until(
        "group " + group + " at the end of topic " + topic,
        atMost,
        () -> {
          try {
            Map<TopicPartition, OffsetAndMetadata> now = committed();
            return admin.listOffsets(latest).all().get().entrySet().stream()
                .allMatch(
                    end -> {
                      OffsetAndMetadata position = now.get(end.getKey());
                      return (position == null ? 0 : position.offset()) >= end.getValue().offset();
                    });
          } catch (ExecutionException | TimeoutException e) {
            return false;
          }
        });
  }

  /**
   * Ends the watch and returns what it found.
   *
   * @throws IllegalStateException when the watch itself failed
   */
  CommitAudit audit() throws InterruptedException {
    stopped = true;
    thread.join();
    if (failure != null) {
      throw new IllegalStateException("The group could not be watched", failure);
    }
    return audit;
  }

  @Override
  public void close() {
    stopped = true;
    thread.interrupt();
  }
}

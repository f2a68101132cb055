package io.korpse.offsets.commit;

import io.korpse.offsets.ErrorTable;
import io.korpse.offsets.Position;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what a {@link CommitPlan} wants now: sends one request and waits for its answer.
 * Confined to one thread; makes the client with the first step and closes it.
 */
final class CommitStep implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CommitStep.class);

  private final Supplier<GroupClient> clients;
  private final CommitSettings settings;
  private final CommitPlan plan;
  private final CommitStatus status;
  private final Clock clock;

  private GroupClient client;

  CommitStep(
      Supplier<GroupClient> clients,
      CommitSettings settings,
      CommitPlan plan,
      CommitStatus status,
      Clock clock) {
    this.clients = clients;
    this.settings = settings;
    this.plan = plan;
    this.status = status;
    this.clock = clock;
  }

  /** As {@link #run(long)}, where a commit may take as long as any other request. */
  void run() throws InterruptedException {
    run(settings.requestTimeoutMillis());
  }

  /**
   * Does what is due; whatever fails goes to the plan.
   *
   * @param commitMillis how long a commit may take; questions may take as long as the settings say
   */
  void run(long commitMillis) throws InterruptedException {
    long now = clock.millis();
    try {
      if (client == null) {
        client = clients.get();
      }
      verify(now);
      List<TopicPartition> lookups = plan.lookups(now);
      if (!lookups.isEmpty()) {
        plan.lookedUp(lookups, await(client.committed(lookups, requestTimeout())), clock.millis());
      }
      commit(plan.next(now), Duration.ofMillis(commitMillis));
    } catch (ExecutionException | TimeoutException e) {
      plan.failed(e, clock.millis());
    } catch (InterruptException e) {
      throw new InterruptedException(e.getMessage());
    } catch (RuntimeException e) {
      plan.failed(e, clock.millis());
    }
  }

  private void commit(Map<TopicPartition, Position> due, Duration timeout)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (due.isEmpty()) {
      return;
    }
    long sentAt = clock.millis();
    Map<TopicPartition, Errors> results = await(client.commit(plan.request(due, sentAt), timeout));
    long answeredAt = clock.millis();
    status.latency(answeredAt - sentAt);
    plan.answered(due, results, answeredAt);
    investigate();
  }

  private void verify(long now) throws InterruptedException, ExecutionException, TimeoutException {
    List<TopicPartition> partitions = plan.verifications(now);
    if (!partitions.isEmpty()) {
      plan.verified(await(client.committed(partitions, requestTimeout())), clock.millis());
    }
  }

  /** Finds out more about a refusal; the commit does not depend on it. */
  private void investigate() throws InterruptedException {
    if (plan.health().takeMembersWanted()) {
      plan.health().members(members());
    }
    try {
      Set<String> suspects = plan.takeSuspectTopics();
      if (!suspects.isEmpty()) {
        plan.gone(await(client.missing(suspects, requestTimeout())), clock.millis());
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("Could not find out more about group {}", settings.groupId(), e);
    }
  }

  private String members() throws InterruptedException {
    try {
      return await(client.members(requestTimeout())).toString();
    } catch (ExecutionException | TimeoutException e) {
      return "(not known: " + ErrorTable.cause(e) + ")";
    }
  }

  private Duration requestTimeout() {
    return Duration.ofMillis(settings.requestTimeoutMillis());
  }

  // Admin keeps its timeout by itself; twice that is for an Admin whose thread has died.
  private <T> T await(CompletableFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(2 * settings.requestTimeoutMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    if (client == null) {
      return;
    }
    // An interrupted thread would not wait for the client's own thread.
    boolean interrupted = Thread.interrupted();
    try {
      client.close();
    } catch (RuntimeException e) {
      LOG.warn("The Admin client for group {} did not close", settings.groupId(), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

package io.korpse.flink.jobs.chaos;

import java.util.Locale;

/** What can be done to a cluster. */
enum FaultKind {
  /** A TaskManager is killed (kill -9), and another started. */
  TASKMANAGER_KILL,
  /** A TaskManager is stopped in its tracks (SIGSTOP) and goes on later, perhaps as a zombie. */
  TASKMANAGER_FREEZE,
  /** The leading JobManager is killed; the standby takes over, and another standby is started. */
  JOBMANAGER_KILL,
  /** All of Flink is killed; another cluster resumes the job from its last retained checkpoint. */
  FLINK_KILL,
  /** The broker that leads a partition of the topic is killed and started again. */
  LEADER_KILL,
  /** The broker that coordinates the group is killed and started again. */
  COORDINATOR_KILL,
  /** The active controller is killed and started again. */
  CONTROLLER_KILL,
  /** A broker is stopped in its tracks and goes on later. */
  BROKER_FREEZE,
  /** The brokers are restarted in good order, one after another. */
  BROKERS_ROLL,
  /** Clients cannot reach the leader of a partition. */
  CUT_FETCH,
  /** Clients cannot reach the coordinator of the group. */
  CUT_COMMIT,
  /** Clients cannot reach any broker, for longer than the interval of discovery. */
  CUT_DISCOVERY,
  /** Checkpoints cannot be written, nor read. */
  STORAGE_FAILURE,
  /** Topic and copy get more partitions, which are written to at once. */
  ADD_PARTITIONS,
  /** The job is stopped with a savepoint under load and resumed from it. */
  SAVEPOINT,
  /** The job is stopped with a savepoint and resumed from it with another parallelism. */
  RESCALE,
  /** Clients cannot reach the leader of a partition, silently, for longer than a request lasts. */
  CUT_LONG,
  /** TaskManagers and JobManagers cannot call each other. */
  CUT_RPC;

  /** As in options and results: {@code leader-kill}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

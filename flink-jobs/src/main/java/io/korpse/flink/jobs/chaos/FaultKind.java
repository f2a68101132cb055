package io.korpse.flink.jobs.chaos;

import java.util.Locale;

/** What can be done to a cluster. */
enum FaultKind {
  /** A TaskManager is killed (kill -9), and another started. */
  TASKMANAGER_KILL,
  /** A TaskManager is stopped in its tracks (SIGSTOP) and goes on later, perhaps as a zombie. */
  TASKMANAGER_FREEZE,
  /** The JobManager is killed; another resumes the job from its last retained checkpoint. */
  JOBMANAGER_KILL,
  /** A broker, which leads, coordinates and votes, is killed and started again. */
  BROKER_KILL,
  /** A broker is stopped in its tracks and goes on later. */
  BROKER_FREEZE,
  /** The job is stopped with a savepoint and resumed from it with another parallelism. */
  RESCALE;

  /** As in options and results: {@code broker-kill}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

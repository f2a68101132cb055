/**
 * The proof that nothing is lost or doubled: numbered records, a verifier, faults and the schedule
 * of {@code bin/chaos}. Not part of the job jar.
 */
package io.korpse.flink.jobs.chaos;

package io.korpse.flink.jobs;

/**
 * What the job needs of one flight.
 *
 * @param origin airport code
 * @param delay minutes, negative when early
 */
public record Flight(String origin, int delay) {}

package io.korpse.flink.jobs.bench;

import java.util.Map;

/**
 * A line from a child: the figures so far, or the final ones, or why there are none.
 *
 * @param done whether this ends the request
 * @param error empty unless the run failed
 */
record Reply(boolean done, Map<String, Double> figures, String error) {}

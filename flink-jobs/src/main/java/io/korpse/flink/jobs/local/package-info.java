/**
 * Starts Kafka brokers and a Flink cluster as processes of their own, from the jars that Maven
 * fetched, and ends them whatever happens. For the demo, the benchmark and the whole-cluster tests;
 * not part of the job jar.
 */
package io.korpse.flink.jobs.local;

package io.korpse.flink.jobs.bench;

/**
 * One measured run.
 *
 * @param round rounds start at 1; each source runs once per round
 * @param variant what differs between the topics of one scenario, such as the number of partitions;
 *     empty if nothing does
 */
record Run(SourceKind source, int round, String variant, Figures figures) {}

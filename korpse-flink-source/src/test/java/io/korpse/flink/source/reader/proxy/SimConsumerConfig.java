package io.korpse.flink.source.reader.proxy;

/**
 * The settings of a consumer that the simulation knows; names and units as in the client.
 *
 * @param maxPollRecords most records of one poll
 * @param fetchMaxBytes most bytes of one response, but for its first batch
 * @param maxPartitionFetchBytes most bytes of one partition in a response, but for the first batch
 * @param fetchMaxWaitMs how long a broker holds a request that it cannot answer with data
 * @param readCommitted isolation level
 */
record SimConsumerConfig(
    int maxPollRecords,
    int fetchMaxBytes,
    int maxPartitionFetchBytes,
    int fetchMaxWaitMs,
    boolean readCommitted) {

  static SimConsumerConfig defaults() {
    return new SimConsumerConfig(500, 50 << 20, 1 << 20, 500, false);
  }

  SimConsumerConfig withMaxPollRecords(int records) {
    return new SimConsumerConfig(
        records, fetchMaxBytes, maxPartitionFetchBytes, fetchMaxWaitMs, readCommitted);
  }

  SimConsumerConfig withFetchBytes(int response, int partition) {
    return new SimConsumerConfig(
        maxPollRecords, response, partition, fetchMaxWaitMs, readCommitted);
  }

  SimConsumerConfig withFetchMaxWaitMs(int millis) {
    return new SimConsumerConfig(
        maxPollRecords, fetchMaxBytes, maxPartitionFetchBytes, millis, readCommitted);
  }

  SimConsumerConfig withReadCommitted() {
    return new SimConsumerConfig(
        maxPollRecords, fetchMaxBytes, maxPartitionFetchBytes, fetchMaxWaitMs, true);
  }
}

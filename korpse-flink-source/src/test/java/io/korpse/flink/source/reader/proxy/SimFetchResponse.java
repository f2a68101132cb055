package io.korpse.flink.source.reader.proxy;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * One answer to a fetch request.
 *
 * @param partitions the partitions that it names, in the order of the answer
 * @param bytes its size: what the client holds until the last of its partitions is drained
 */
record SimFetchResponse(Map<TopicPartition, Data> partitions, int bytes) {

  /** The part of one partition; ends are -1 when there is an error. */
  record Data(
      Errors error, List<SimBatch> batches, int bytes, long end, long lastStable, long logStart) {

    static Data failed(Errors error) {
      return new Data(error, List.of(), 0, -1, -1, -1);
    }
  }
}

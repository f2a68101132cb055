package io.korpse.flink.source.reader.proxy;

/**
 * A leader as a client knows it.
 *
 * @param node id of the broker, {@link SimPartition#NO_LEADER} for none
 * @param epoch its epoch, -1 when not known
 */
record SimLeader(int node, int epoch) {

  static final SimLeader UNKNOWN = new SimLeader(SimPartition.NO_LEADER, -1);

  boolean isPresent() {
    return node != SimPartition.NO_LEADER;
  }
}

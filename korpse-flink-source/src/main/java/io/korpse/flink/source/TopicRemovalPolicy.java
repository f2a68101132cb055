package io.korpse.flink.source;

/** What happens when a topic or partition that is being read is gone, or was created again. */
public enum TopicRemovalPolicy {
  /** The job fails, and the message names the topic. */
  FAIL,

  /**
   * The split is finished and released. A topic that was created again is read as a new one, unless
   * the source is bounded or discovery is off.
   */
  CONTINUE
}

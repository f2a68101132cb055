package io.korpse.flink.source;

/**
 * What happens to a restored partition that exists but is no longer subscribed to, as after a
 * change of the topic list.
 */
public enum UnsubscribedPolicy {
  /** It is no longer read, and its position is dropped. */
  DROP,

  /**
   * It is read on, from its position, until its topic is deleted or created again. Then {@link
   * TopicRemovalPolicy} says what happens; a topic that was created again is not read anew, since
   * it is not subscribed to.
   */
  KEEP,

  /** The job fails, and the message names the partition. */
  FAIL
}

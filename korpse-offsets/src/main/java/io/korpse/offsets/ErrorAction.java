package io.korpse.offsets;

/** What a client does about an error code of a broker; see {@link ErrorTable}. */
public enum ErrorAction {
  /** Ask the same again after a backoff with jitter. */
  RETRY,
  /** Find the coordinator or leader again, then ask the same. */
  REDISCOVER,
  /** Leave this partition out until its topic is there again; the rest goes on. */
  ISOLATE,
  /** Leave this partition out and try it again slowly: somebody has to change a right. */
  SUSPEND_PARTITION,
  /** Stop for the whole group and try again slowly: somebody has to change a right or setting. */
  SUSPEND_GROUP,
  /** The group has live members: name them once, then try again slowly. */
  BLOCKED_BY_MEMBERS,
  /** Send this partition again with less metadata. */
  TRIM_METADATA,
  /** Send half as many partitions; when one alone fails, as {@link #SURFACE}. */
  HALVE_BATCH,
  /** Decide by the log's bounds: data loss below, truncation or re-creation above. */
  CHECK_BOUNDS,
  /** Take it as "there is nothing". */
  NOTHING_THERE,
  /** Go without the optional feature that needs it. */
  DEGRADE,
  /** Say so and go on trying only when there is something new. */
  SURFACE,
  /** The client library deals with it. */
  CLIENT
}

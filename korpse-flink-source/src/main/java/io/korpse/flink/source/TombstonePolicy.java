package io.korpse.flink.source;

/** What happens to a record without a value. */
public enum TombstonePolicy {
  /** The schema decides: value-only schemas do not see tombstones, all others do. */
  AUTO,

  /** The schema sees it. */
  PASS,

  /** It is skipped and counted. */
  SKIP,

  /** It is a bad record. */
  FAIL
}

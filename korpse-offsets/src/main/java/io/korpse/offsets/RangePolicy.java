package io.korpse.offsets;

/** What to do with a range that does not start where the committed one ended. */
public enum RangePolicy {
  /** Store nothing of the call and say which ranges leave a gap or overlap. */
  REFUSE,
  /** Log it and store. */
  WARN_AND_STORE
}

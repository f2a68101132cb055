package io.korpse.offsets.commit;

/** The constants of one committer; times in milliseconds. */
record CommitSettings(
    String groupId,
    String identity,
    long requestTimeoutMillis,
    long refreshMillis,
    long verifyMillis,
    long probeMillis,
    Backoff backoff) {

  /** The time to the next try of what only a human can repair. */
  long slowProbe() {
    return backoff.jitter(probeMillis);
  }
}

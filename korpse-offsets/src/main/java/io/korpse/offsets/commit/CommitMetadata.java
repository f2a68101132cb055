package io.korpse.offsets.commit;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metadata string of a commit: which job and checkpoint wrote it and when, and what another
 * program had put there before.
 *
 * <p>Three kinds of foreign metadata are told apart. Kafka Streams keeps the partition's stream
 * time there, which stays true when the offset moves: it is written back unchanged, and ours is
 * left out. Parallel consumers keep a map of what is done beyond the committed offset; with another
 * offset it would make them skip records, so it is carried along behind ours with the offset that
 * it belongs to. Any other text is carried the same way.
 */
final class CommitMetadata {

  private static final String PREFIX = "korpse/1 ";
  private static final String KEPT = " kept@";
  private static final Pattern WRITTEN = Pattern.compile(" checkpoint=(\\d{1,18}) at=(\\S+)");
  private static final String STREAMS_MAGICS = "\u0001\u0002";

  private CommitMetadata() {}

  /** How much of the metadata a broker has accepted. */
  enum Detail {
    /** Ours and what was there before. */
    FULL,
    /** Only what was there before, carried as in {@link #FULL}. */
    KEPT,
    /** Only ours. */
    OWN,
    /** Nothing. */
    NONE;

    Detail less() {
      return switch (this) {
        case FULL -> KEPT;
        case KEPT -> OWN;
        case OWN, NONE -> NONE;
      };
    }
  }

  /**
   * Foreign metadata.
   *
   * @param offset what was committed with it
   * @param isVerbatim whether it is written back as it was
   */
  record Foreign(String text, long offset, boolean isVerbatim) {}

  /** What a string that was found in the group holds of others; null if nothing. */
  static Foreign foreign(String found, long offset) {
    if (found == null || found.isEmpty()) {
      return null;
    }
    if (!found.startsWith(PREFIX)) {
      return new Foreign(found, offset, isKafkaStreams(found));
    }
    int kept = found.indexOf(KEPT);
    int text = kept < 0 ? -1 : found.indexOf('=', kept);
    if (text < 0) {
      return null;
    }
    try {
      long keptOffset = Long.parseLong(found.substring(kept + KEPT.length(), text));
      return new Foreign(found.substring(text + 1), keptOffset, false);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /**
   * Whether a later attempt of a job has committed a newer checkpoint.
   *
   * @param found the metadata in the group; may be null
   * @param identity {@code job/attempt}, of which the first part names the job; without a slash no
   *     other attempt can be told
   * @param checkpointId what this attempt has; -1 when it commits without checkpoints
   * @param since when this attempt began: an attempt before it may have come further, as after a
   *     restore from an older savepoint
   */
  static boolean isOfLaterAttempt(String found, String identity, long checkpointId, long since) {
    int job = identity.indexOf('/');
    if (found == null || job < 0 || checkpointId < 0) {
      return false;
    }
    String own = PREFIX + "job=" + identity.substring(0, job + 1);
    if (!found.startsWith(own) || found.startsWith(PREFIX + "job=" + identity + " ")) {
      return false;
    }
    Matcher written = WRITTEN.matcher(found);
    return written.find(own.length())
        && Long.parseLong(written.group(1)) > checkpointId
        && isAfter(written.group(2), since);
  }

  private static boolean isAfter(String instant, long epochMillis) {
    try {
      return Instant.parse(instant).toEpochMilli() > epochMillis;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  /** The string to commit. */
  static String compose(
      String identity, long checkpointId, long epochMillis, Foreign foreign, Detail detail) {
    if (foreign != null && foreign.isVerbatim() && detail != Detail.OWN && detail != Detail.NONE) {
      return foreign.text();
    }
    if (detail == Detail.NONE) {
      return "";
    }
    StringBuilder text = new StringBuilder(PREFIX);
    if (detail != Detail.KEPT) {
      text.append("job=").append(identity);
      if (checkpointId >= 0) {
        text.append(" checkpoint=").append(checkpointId);
      }
      text.append(" at=").append(Instant.ofEpochMilli(epochMillis));
    }
    if (foreign != null && detail != Detail.OWN) {
      text.append(KEPT).append(foreign.offset()).append('=').append(foreign.text());
    }
    return text.toString();
  }

  private static boolean isKafkaStreams(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      return bytes.length >= 1 + Long.BYTES && STREAMS_MAGICS.indexOf(bytes[0]) >= 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}

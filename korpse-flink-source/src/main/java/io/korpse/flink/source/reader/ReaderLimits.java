package io.korpse.flink.source.reader;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.reader.proxy.ProxyLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.ConfigOption;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The bounds of a reader, and the fetch settings of its consumer that follow from them.
 *
 * <p>The reader's budget is what the user set, else the smaller of 64 MiB and a twentieth of the
 * heap, so that the same job fits a small and a large TaskManager. What the client itself retains
 * comes on top: one response in flight for each broker, and one for each group of splits that were
 * paused together, each of {@code fetch.max.bytes}.
 *
 * <p>With several consumers each has an equal share of the budget, and bounds that follow from it,
 * so that no sum over them is more than one consumer may have: of records, of polls, of fetch
 * responses, and of batches that are read half, which are one more than the retained responses.
 *
 * @param readerBytes what all consumers together may hold
 * @param proxy the bounds of the proxy of each consumer
 * @param fetch the consumer settings that were derived, without those that the user set
 * @param maxPollRecords most records of one poll
 * @param maxPollRecordsFixed whether the user set it
 * @param warnings what the user's own settings do to the bound
 */
record ReaderLimits(
    long readerBytes,
    ProxyLimits proxy,
    Map<String, String> fetch,
    int maxPollRecords,
    boolean maxPollRecordsFixed,
    List<String> warnings) {

  private static final long MIB = 1024 * 1024;

  /** Below a producer's batches a broker fills one partition in each response (KIP-74). */
  private static final long TINY_FETCH = 64 * 1024;

  private static final String READERS_BUFFER = "all that the reader's buffer has";
  private static final long MAX_DEFAULT_BUDGET = 64 * MIB;
  private static final int HEAP_SHARE = 20;

  /** What one poll brings stays in the cache of a core until it is weighed and handed over. */
  private static final int MAX_POLL_RECORDS = 2_000;

  private static final Duration MAX_WAIT = Duration.ofMillis(100);
  private static final int FETCH_MAX_WAIT_MILLIS = 100;

  /**
   * In the poll that brings the last records of a bounded split the client asks for more of it, and
   * the broker keeps that request, and with it those for all other splits, for as long as nothing
   * comes. Only at their ends do bounded splits have nothing to fetch, so this costs no idle time.
   */
  private static final int BOUNDED_FETCH_MAX_WAIT_MILLIS = 10;

  /** Derives the bounds for a heap of {@code maxHeapBytes}. */
  static ReaderLimits derive(SourceSettings settings, long maxHeapBytes) {
    int consumers = settings.readerConsumers();
    List<String> warnings = new ArrayList<>();
    long whole =
        settings.readerBufferBytes().isPresent()
            ? atMost(
                maxHeapBytes / 2,
                "half of the heap",
                settings.readerBufferBytes().getAsLong(),
                KorpseSourceOptions.READER_BUFFER,
                warnings)
            : Math.max(MIB, Math.min(MAX_DEFAULT_BUDGET, maxHeapBytes / HEAP_SHARE));
    long budget = Math.max(1, whole / consumers);
    int retained = retained(settings.retainedResponses(), consumers);
    long splitMost = budget / SourceSettings.SPLITS_IN_READER;
    long splitHigh = Math.max(1, Math.min(settings.splitBufferBytes(), splitMost));
    if (settings.isSplitBufferGiven() && settings.splitBufferBytes() > splitMost) {
      warnings.add(
          KorpseSourceOptions.SPLIT_BUFFER.key()
              + " is cut from "
              + settings.splitBufferBytes()
              + " to "
              + splitHigh
              + " bytes, a quarter of the "
              + budget
              + " that the reader's buffer has of this heap. Raise "
              + KorpseSourceOptions.READER_BUFFER.key());
    }
    int splitRecords = settings.splitBufferRecords();
    double resume = settings.splitResumeFraction();
    long fetchMax =
        clamp(whole / 8, MIB, 16 * MIB)
            * Math.min(consumers * (2L + retained), 2L + settings.retainedResponses())
            / (consumers * (2L + retained));
    Properties kafka = settings.kafka();
    Map<String, String> fetch = new HashMap<>();
    derived(fetch, kafka, ConsumerConfig.FETCH_MAX_BYTES_CONFIG, fetchMax, warnings);
    derived(
        fetch,
        kafka,
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
        clamp(budget / 16, MIB / 4, MIB),
        warnings);
    derived(
        fetch,
        kafka,
        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
        settings.boundedness() == Boundedness.BOUNDED
            ? BOUNDED_FETCH_MAX_WAIT_MILLIS
            : FETCH_MAX_WAIT_MILLIS,
        null);
    derived(fetch, kafka, ConsumerConfig.RECEIVE_BUFFER_CONFIG, MIB, null);
    String userPoll = kafka.getProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG);
    ProxyLimits limits =
        new ProxyLimits(
            splitHigh,
            (long) (splitHigh * resume),
            splitRecords,
            (int) (splitRecords * resume),
            budget,
            Math.max(
                1,
                atMost(
                        whole,
                        READERS_BUFFER,
                        settings.pollBytes().orElse(clamp(whole / 8, MIB / 4, 8 * MIB)),
                        KorpseSourceOptions.POLL_SIZE,
                        warnings)
                    / consumers),
            settings.handoverRecords(),
            atMost(
                budget,
                READERS_BUFFER,
                settings.handoverBytes().orElse(clamp(budget / 32, 64 * 1024, MIB)),
                KorpseSourceOptions.HANDOVER_SIZE,
                warnings),
            batches(settings.handoverBatches(), consumers),
            retained,
            MAX_WAIT);
    return new ReaderLimits(
        whole,
        limits,
        fetch,
        userPoll == null ? MAX_POLL_RECORDS : Integer.parseInt(userPoll.trim()),
        userPoll != null,
        warnings);
  }

  /** A share of the responses, of which each consumer reads one beside those that it retains. */
  private static int retained(int responses, int consumers) {
    return consumers == 1 ? responses : Math.max(1, (responses + 1) / consumers - 1);
  }

  /** Two at least, if one may have two: one is emitted while the next is made. */
  private static int batches(int batches, int consumers) {
    return Math.max(Math.min(2, batches), batches / consumers);
  }

  /** The bytes that the user set, cut with a warning to what they are a part of. */
  private static long atMost(
      long most, String what, long bytes, ConfigOption<?> option, List<String> warnings) {
    if (bytes > most) {
      warnings.add(
          option.key() + " is cut from " + bytes + " to " + most + " bytes, which is " + what);
    }
    return Math.min(most, bytes);
  }

  private static void derived(
      Map<String, String> fetch,
      Properties kafka,
      String key,
      long value,
      List<String> warningsOrNull) {
    String user = kafka.getProperty(key);
    if (user == null) {
      fetch.put(key, Long.toString(value));
    } else if (warningsOrNull != null && !user.contains("${")) {
      warn(key, Long.parseLong(user.trim()), value, warningsOrNull);
    }
  }

  private static void warn(String key, long user, long value, List<String> warnings) {
    if (user > value) {
      warnings.add(
          key
              + "="
              + user
              + " is kept as it was set, but is above the "
              + value
              + " that the reader's budget allows: the client may retain that much more heap for"
              + " each broker and each group of paused splits. Lower it, or raise the budget");
    } else if (user <= TINY_FETCH) {
      warnings.add(
          key
              + "="
              + user
              + " is kept as it was set, but where batches are larger a broker answers with one of"
              + " one partition at a time, which halves the throughput. Raise it above "
              + TINY_FETCH
              + ", or leave it out");
    }
  }

  private static long clamp(long value, long low, long high) {
    return Math.max(low, Math.min(high, value));
  }
}

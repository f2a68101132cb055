package io.korpse.flink.source.reader;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.Extensions;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.RecordOrder;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.TombstonePolicy;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
import io.korpse.flink.source.reader.proxy.BufferBudget;
import io.korpse.flink.source.reader.proxy.HandoverBatch;
import io.korpse.flink.source.reader.proxy.PauseTimes;
import io.korpse.flink.source.reader.proxy.ProxyControl;
import io.korpse.flink.source.reader.proxy.ProxyParts;
import io.korpse.flink.source.reader.proxy.ProxyStats;
import io.korpse.flink.source.reader.proxy.RecordWeigher;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.SharedAdmin;
import io.korpse.offsets.SteadyClock;
import io.korpse.offsets.metrics.OffsetMetrics;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the reader of a subtask together. */
public final class KorpseReaders {

  private static final Logger LOG = LoggerFactory.getLogger(KorpseReaders.class);

  private KorpseReaders() {}

  /** A reader that reads every split it is given. */
  static <T> SourceReader<T, KorpseSplit> create(
      SourceReaderContext context,
      KafkaRecordDeserializationSchema<T> schema,
      SourceSettings settings)
      throws Exception {
    return create(context, schema, settings, partition -> true);
  }

  /**
   * A reader for one subtask.
   *
   * @param schema deserializes the records; opened here, closed by the reader
   * @param wanted whether a restored partition is read at once; others wait for the enumerator to
   *     take them away
   * @throws Exception if the schema or the handler of bad records does not open
   */
  public static <T> SourceReader<T, KorpseSplit> create(
      SourceReaderContext context,
      KafkaRecordDeserializationSchema<T> schema,
      SourceSettings settings,
      Predicate<TopicPartition> wanted)
      throws Exception {
    return create(context, schema, settings, wanted, new AlignmentWatch(System::nanoTime));
  }

  static <T> SourceReader<T, KorpseSplit> create(
      SourceReaderContext context,
      KafkaRecordDeserializationSchema<T> schema,
      SourceSettings settings,
      Predicate<TopicPartition> wanted,
      AlignmentWatch alignment)
      throws Exception {
    Clock clock = new SteadyClock(Clock.systemUTC());
    SourceReaderMetricGroup metricGroup = context.metricGroup();
    String clientId = ClientIds.next(settings.clientIdPrefix(), context.getIndexOfSubtask());

    ReaderLimits limits = ReaderLimits.derive(settings, Runtime.getRuntime().maxMemory());
    limits.warnings().forEach(LOG::warn);
    LOG.info("Reader {}: {}", clientId, limits.proxy());
    if (settings.order() == RecordOrder.EVENT_TIME) {
      LOG.info(
          "Event-time order holds a split back for up to {} ms ({}). If the watermark strategy has"
              + " withIdleness, that must be longer: a split that is held back longer is idle to"
              + " Flink, and its records come late",
          settings.maxHold().toMillis(),
          KorpseSourceOptions.ORDER_MAX_HOLD.key());
    }

    SplitStates states = new SplitStates(clock);
    OffsetMetrics offsetMetrics = new OffsetMetrics(metricGroup, KorpseReaders::closeGroup);
    BufferBudget budget = new BufferBudget(limits.proxy().readerBytes());
    ProxyStats stats = new ProxyStats();
    PauseTimes pauses = new PauseTimes();
    ProxyControl control = new ProxyControl();
    ProxyMetrics.register(offsetMetrics.group(), budget, stats, pauses);

    ConsumerMetrics consumerMetrics =
        new ConsumerMetrics(offsetMetrics.group(), settings.consumerMetrics());
    KafkaConsumers clients =
        new KafkaConsumers(
            settings,
            limits.fetch(),
            clientId,
            context.getUserCodeClassLoader().asClassLoader(),
            consumerMetrics::bind);
    SharedAdmin admin = new SharedAdmin(clients::admin);
    // Before anything that has a thread or a connection: this may fail, at each restart.
    BadRecords badRecords = badRecords(settings, metricGroup, offsetMetrics.group());
    open(context, schema, badRecords);

    OffsetSidecar sidecar =
        new OffsetSidecar(
            settings,
            admin,
            states,
            badRecords::flush,
            offsetMetrics,
            identity(context, clientId),
            clientId,
            clock);
    metricGroup.setPendingRecordsGauge(() -> sidecar.lags().total().recordsLag().toGauge());

    TombstonePolicy tombstones = tombstones(settings, schema);
    Optional<RateLimit> rateLimit = rateLimit(settings, context.currentParallelism());
    KorpseRecordEmitter<T> emitter =
        new KorpseRecordEmitter<>(
            schema,
            tombstones,
            badRecords,
            rateLimit.orElse(null),
            offsetMetrics.group().counter("tombstonesSkipped"));

    DataLoss dataLoss = new DataLoss(admin, settings.isolation(), settings.onDataLoss(), states);
    Consumer<TopicPartition> suspicions =
        partition -> context.sendSourceEventToCoordinator(new TopicSuspectedEvent(partition));
    RecreatedTopics losses = RecreatedTopics.of(dataLoss, admin, states, suspicions);
    UnreachableStops stops =
        new UnreachableStops(
            states,
            control,
            settings.onDataLoss(),
            RecreatedTopics.of(
                (partition, offset, divergent) -> dataLoss.end(partition),
                admin,
                states,
                suspicions),
            System::nanoTime);
    sidecar
        .lags()
        .afterRound(
            () -> {
              stops.run();
              alignment.run();
            });
    // A handler of bad records is given what the schema does not look at, too.
    Extensions userCode = settings.extensions();
    boolean whole =
        settings.onBadRecord() == BadRecordPolicy.HANDLER || userCode.readsWholeRecords();
    boolean keys = whole || schema.readsKey();
    boolean headers = whole || schema.readsHeaders();
    ProxyParts proxy =
        new ProxyParts(
            clients,
            limits.proxy(),
            budget,
            control,
            stats,
            pauses,
            losses,
            new UnreadableBatches(settings.onBadRecord(), clients::probe, System::nanoTime),
            new SplitInspector(admin, settings.isolation(), states),
            weigher(userCode, keys, headers),
            userCode.recordHook() == null
                ? null
                : new HookedRecords(userCode.recordHook(), offsetMetrics.group()),
            keys,
            headers,
            limits.maxPollRecords(),
            limits.maxPollRecordsFixed(),
            settings.order() == RecordOrder.EVENT_TIME,
            settings.orderWait(),
            settings.orderSlack().toMillis(),
            settings.orderMaxSlack().toMillis(),
            settings.maxHold(),
            System::nanoTime);
    FetcherMetrics fetcherMetrics = new FetcherMetrics(metricGroup, offsetMetrics.group());
    Consumer<HandoverBatch> beforeHandover =
        settings.deserializeOnFetcher()
            ? fetcherMetrics.andThen(
                new EarlyDeserializer<>(schema, tombstones == TombstonePolicy.PASS))
            : fetcherMetrics;
    KorpseFetcherManager fetcher =
        new KorpseFetcherManager(
            () ->
                new KorpseSplitReader(
                    proxy.newProxy(), states, beforeHandover, settings.closeTimeout()),
            context.getConfiguration(),
            limits.proxy().batches(),
            control,
            states,
            wanted);
    return new KorpseSourceReader<>(
        new ReaderParts<>(
            states,
            control,
            sidecar,
            stops,
            alignment,
            badRecords,
            schema,
            rateLimit,
            settings.closeTimeout()),
        fetcher,
        emitter,
        settings.<T>endOfStream().orElse(null),
        context.getConfiguration(),
        context);
  }

  static RecordWeigher weigher(Extensions userCode, boolean keys, boolean headers) {
    if (userCode.recordSize() != null) {
      return new SizedRecords(userCode.recordSize());
    }
    // The sizes that a record carries are the broker's, not those of what a hook puts in its place.
    return userCode.recordHook() == null ? RecordWeigher.of(keys, headers) : RecordWeigher::heapOf;
  }

  /** The job and, after a slash, which attempt of which subtask this is. */
  private static String identity(SourceReaderContext context, String clientId) {
    Map<String, String> variables = context.metricGroup().getAllVariables();
    String job = variables.get(ScopeFormat.SCOPE_JOB_ID);
    String attempt = variables.getOrDefault(ScopeFormat.SCOPE_TASK_ATTEMPT_NUM, "0");
    return job == null ? clientId : job + "/" + context.getIndexOfSubtask() + "#" + attempt;
  }

  private static TombstonePolicy tombstones(
      SourceSettings settings, KafkaRecordDeserializationSchema<?> schema) {
    if (settings.tombstones() != TombstonePolicy.AUTO) {
      return settings.tombstones();
    }
    return schema.readsTombstones() ? TombstonePolicy.PASS : TombstonePolicy.SKIP;
  }

  private static Optional<RateLimit> rateLimit(SourceSettings settings, int subtasks) {
    return settings.rateLimit().stream()
        .mapToObj(rate -> new RateLimit(rate / subtasks, System::nanoTime))
        .findFirst();
  }

  private static BadRecords badRecords(
      SourceSettings settings, SourceReaderMetricGroup metricGroup, MetricGroup group) {
    Counter errors = metricGroup.getNumRecordsInErrorsCounter();
    return new BadRecords(
        settings.onBadRecord(),
        settings.badRecordHandler(),
        settings.badRecordLimit(),
        settings.badRecordWindow(),
        errors,
        group.counter("recordsSkipped"),
        System::nanoTime);
  }

  private static void open(
      SourceReaderContext context, KafkaRecordDeserializationSchema<?> schema, BadRecords bad)
      throws Exception {
    DeserializationSchema.InitializationContext opening =
        new DeserializationSchema.InitializationContext() {
          @Override
          public MetricGroup getMetricGroup() {
            return context.metricGroup().addGroup("deserializer");
          }

          @Override
          public UserCodeClassLoader getUserCodeClassLoader() {
            return context.getUserCodeClassLoader();
          }
        };
    try {
      schema.open(opening);
      bad.open(opening);
    } catch (Throwable e) {
      close(bad::close, e);
      close(schema::close, e);
      throw e;
    }
  }

  private static void close(AutoCloseable opened, Throwable failure) {
    try {
      opened.close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  /** Flink closes the groups of splits the same way; there is no public one. */
  private static void closeGroup(MetricGroup group) {
    if (group instanceof AbstractMetricGroup<?> closeable) {
      closeable.close();
    }
  }
}

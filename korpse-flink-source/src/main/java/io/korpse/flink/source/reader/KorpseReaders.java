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
import io.korpse.flink.source.reader.proxy.PollProxy;
import io.korpse.flink.source.reader.proxy.ProxyParts;
import io.korpse.flink.source.reader.proxy.RecordWeigher;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.SharedAdmin;
import io.korpse.offsets.SteadyClock;
import io.korpse.offsets.metrics.OffsetMetrics;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
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
    if (settings.readerConsumers() > 1) {
      LOG.info("Reader {} has {} consumers of that kind", clientId, settings.readerConsumers());
    }
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
    BufferBudget budget = new BufferBudget(limits.readerBytes());
    ReaderLanes<T> lanes =
        ReaderLanes.of(settings, schema, context.getUserCodeClassLoader().asClassLoader());
    PauseTimes pauses = new PauseTimes();
    ProxyMetrics.register(offsetMetrics.group(), budget, lanes.stats(), pauses);

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
    open(context, lanes.schemas(), badRecords);

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
            lanes.wishes(),
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
    UnreadableBatches unreadable =
        new UnreadableBatches(
            settings.onBadRecord(), clients::probe, System::nanoTime, settings.closeTimeout());
    // A handler of bad records is given what the schema does not look at, too.
    Extensions userCode = settings.extensions();
    boolean whole =
        settings.onBadRecord() == BadRecordPolicy.HANDLER || userCode.readsWholeRecords();
    boolean keys = whole || schema.readsKey();
    boolean headers = whole || schema.readsHeaders();
    HookedRecords hooked =
        userCode.recordHook() == null
            ? null
            : new HookedRecords(userCode.recordHook(), offsetMetrics.group());
    IntFunction<PollProxy> proxies =
        lanes.proxies(
            lane -> {
              KafkaConsumers own =
                  lanes.several() ? numbered(clients, lane, consumerMetrics) : clients;
              return new ProxyParts(
                  own,
                  limits.proxy(),
                  lanes.several() ? new BufferBudget(limits.proxy().readerBytes(), budget) : budget,
                  lane.control(),
                  lane.stats(),
                  pauses,
                  losses,
                  unreadable,
                  new SplitInspector(admin, settings.isolation(), states),
                  weigher(lane.userCode(), keys, headers),
                  hooked == null ? null : hooked.of(lane.userCode().recordHook()),
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
            });
    FetcherMetrics fetcherMetrics =
        new FetcherMetrics(metricGroup, offsetMetrics.group(), lanes.count());
    List<Consumer<HandoverBatch>> beforeHandover =
        lanes.each(
            lane ->
                settings.deserializeOnFetcher()
                    ? fetcherMetrics
                        .lane(lane.index())
                        .andThen(
                            new EarlyDeserializer<>(
                                lane.schema(), tombstones == TombstonePolicy.PASS))
                    : fetcherMetrics.lane(lane.index()));
    KorpseFetcherManager fetcher =
        lanes.fetchers(
            lane ->
                new KorpseSplitReader(
                    proxies.apply(lane), states, beforeHandover.get(lane), settings.closeTimeout()),
            context.getConfiguration(),
            limits.proxy().batches(),
            states,
            wanted);
    return new KorpseSourceReader<>(
        new ReaderParts<>(
            states,
            lanes.wishes(),
            sidecar,
            stops,
            alignment,
            unreadable,
            badRecords,
            lanes.schemas(),
            rateLimit,
            settings.closeTimeout()),
        fetcher,
        emitter,
        settings.<T>endOfStream().orElse(null),
        context.getConfiguration(),
        context);
  }

  private static KafkaConsumers numbered(
      KafkaConsumers clients, ReaderLanes.Lane<?> lane, ConsumerMetrics metrics) {
    return clients.numbered(
        lane.index(),
        lane.userCode().consumerFactory(),
        consumer -> metrics.bind(lane.index(), consumer));
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

  private static <T> void open(
      SourceReaderContext context,
      List<KafkaRecordDeserializationSchema<T>> schemas,
      BadRecords bad)
      throws Exception {
    int opening = 0;
    try {
      for (; opening < schemas.size(); opening++) {
        schemas.get(opening).open(opening(context, opening));
      }
      bad.open(opening(context, 0));
    } catch (Throwable e) {
      close(bad::close, e);
      for (int i = 0; i <= Math.min(opening, schemas.size() - 1); i++) {
        close(schemas.get(i)::close, e);
      }
      throw e;
    }
  }

  private static DeserializationSchema.InitializationContext opening(
      SourceReaderContext context, int copy) {
    return new DeserializationSchema.InitializationContext() {
      @Override
      public MetricGroup getMetricGroup() {
        MetricGroup group = context.metricGroup().addGroup("deserializer");
        // Two metrics of one name would be one that is not shown.
        return copy == 0 ? group : group.addGroup("copy", Integer.toString(copy));
      }

      @Override
      public UserCodeClassLoader getUserCodeClassLoader() {
        return context.getUserCodeClassLoader();
      }
    };
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

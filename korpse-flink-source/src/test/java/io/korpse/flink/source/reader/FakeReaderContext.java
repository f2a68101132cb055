package io.korpse.flink.source.reader;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;

/** What a reader sees of a task, without the task. */
final class FakeReaderContext implements SourceReaderContext {

  final List<SourceEvent> sent = new ArrayList<>();
  private final SourceReaderMetricGroup metrics;

  FakeReaderContext() {
    this(UnregisteredMetricsGroup.createSourceReaderMetricGroup());
  }

  FakeReaderContext(SourceReaderMetricGroup metrics) {
    this.metrics = metrics;
  }

  @Override
  public SourceReaderMetricGroup metricGroup() {
    return metrics;
  }

  @Override
  public Configuration getConfiguration() {
    return new Configuration();
  }

  @Override
  public String getLocalHostName() {
    return "localhost";
  }

  @Override
  public int getIndexOfSubtask() {
    return 0;
  }

  @Override
  public void sendSplitRequest() {}

  @Override
  public void sendSourceEventToCoordinator(SourceEvent event) {
    sent.add(event);
  }

  @Override
  public UserCodeClassLoader getUserCodeClassLoader() {
    return SimpleUserCodeClassLoader.create(FakeReaderContext.class.getClassLoader());
  }

  @Override
  public int currentParallelism() {
    return 1;
  }
}

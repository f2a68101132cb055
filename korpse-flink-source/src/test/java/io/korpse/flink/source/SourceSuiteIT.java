package io.korpse.flink.source;

import io.korpse.flink.source.testing.BrokerResource;
import io.korpse.flink.source.testing.KafkaSplits;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestExternalSystem;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;

/** Flink's own test suite for sources: all its cases, for both kinds of splits and both modes. */
public final class SourceSuiteIT extends SourceTestSuiteBase<String> {

  @TestEnv final MiniClusterTestEnvironment flink = new MiniClusterTestEnvironment();

  @TestExternalSystem final BrokerResource kafka = new BrokerResource();

  @TestSemantics
  final CheckpointingMode[] modes = {
    CheckpointingMode.EXACTLY_ONCE, CheckpointingMode.AT_LEAST_ONCE
  };

  @TestContext
  final ExternalContextFactory<KafkaSplits> partitions =
      test -> new KafkaSplits(kafka.broker(), KafkaSplits.Kind.PARTITION);

  @TestContext
  final ExternalContextFactory<KafkaSplits> topics =
      test -> new KafkaSplits(kafka.broker(), KafkaSplits.Kind.TOPIC);
}

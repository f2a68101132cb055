package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;

/** A consumer of bytes that refuses, by name, whatever a subclass does not model. */
abstract class UnsupportedConsumer implements Consumer<byte[], byte[]> {

  @Override
  public void subscribe(Collection<String> topics) {
    throw unsupported("subscribe");
  }

  @Override
  public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
    throw unsupported("subscribe");
  }

  @Override
  public void subscribe(Pattern pattern, ConsumerRebalanceListener callback) {
    throw unsupported("subscribe");
  }

  @Override
  public void subscribe(Pattern pattern) {
    throw unsupported("subscribe");
  }

  @Override
  public void subscribe(SubscriptionPattern pattern, ConsumerRebalanceListener callback) {
    throw unsupported("subscribe");
  }

  @Override
  public void subscribe(SubscriptionPattern pattern) {
    throw unsupported("subscribe");
  }

  @Override
  public void commitSync() {
    throw unsupported("commitSync");
  }

  @Override
  public void commitSync(Duration timeout) {
    throw unsupported("commitSync");
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
    throw unsupported("commitSync");
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    throw unsupported("commitSync");
  }

  @Override
  public void commitAsync() {
    throw unsupported("commitAsync");
  }

  @Override
  public void commitAsync(OffsetCommitCallback callback) {
    throw unsupported("commitAsync");
  }

  @Override
  public void commitAsync(
      Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
    throw unsupported("commitAsync");
  }

  @Override
  public void registerMetricForSubscription(KafkaMetric metric) {
    throw unsupported("registerMetricForSubscription");
  }

  @Override
  public void unregisterMetricFromSubscription(KafkaMetric metric) {
    throw unsupported("unregisterMetricFromSubscription");
  }

  @Override
  public void seekToBeginning(Collection<TopicPartition> partitions) {
    throw unsupported("seekToBeginning");
  }

  @Override
  public void seekToEnd(Collection<TopicPartition> partitions) {
    throw unsupported("seekToEnd");
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
    throw unsupported("committed");
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> committed(
      Set<TopicPartition> partitions, Duration timeout) {
    throw unsupported("committed");
  }

  @Override
  public Uuid clientInstanceId(Duration timeout) {
    throw unsupported("clientInstanceId");
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic) {
    throw unsupported("partitionsFor");
  }

  @Override
  public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
    throw unsupported("partitionsFor");
  }

  @Override
  public Map<String, List<PartitionInfo>> listTopics() {
    throw unsupported("listTopics");
  }

  @Override
  public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
    throw unsupported("listTopics");
  }

  @Override
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
      Map<TopicPartition, Long> timestampsToSearch) {
    throw unsupported("offsetsForTimes");
  }

  @Override
  public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
      Map<TopicPartition, Long> timestampsToSearch, Duration timeout) {
    throw unsupported("offsetsForTimes");
  }

  @Override
  public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
    throw unsupported("beginningOffsets");
  }

  @Override
  public Map<TopicPartition, Long> beginningOffsets(
      Collection<TopicPartition> partitions, Duration timeout) {
    throw unsupported("beginningOffsets");
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
    throw unsupported("endOffsets");
  }

  @Override
  public Map<TopicPartition, Long> endOffsets(
      Collection<TopicPartition> partitions, Duration timeout) {
    throw unsupported("endOffsets");
  }

  @Override
  public ConsumerGroupMetadata groupMetadata() {
    throw unsupported("groupMetadata");
  }

  @Override
  public void enforceRebalance() {
    throw unsupported("enforceRebalance");
  }

  @Override
  public void enforceRebalance(String reason) {
    throw unsupported("enforceRebalance");
  }

  private static UnsupportedOperationException unsupported(String method) {
    return new UnsupportedOperationException("The simulated consumer does not model " + method);
  }
}

package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.CommitMode;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.testing.Commits;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.SourceReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reader has left in its group, by the mode of commits and at its end. */
@Timeout(120)
@ParameterizedClass
@ValueSource(booleans = {false, true})
final class ReaderGroupIT extends ReaderInBothModes {

  @Test
  void commits_only_what_a_complete_checkpoint_holds() throws Exception {
    produce(topic("committed"), 1, 100);
    SourceReader<String, KorpseSplit> reader = reader(settings());
    reader.addSplits(List.of(split(topic("committed"), 0, 0, KorpseSplit.NO_STOP_OFFSET)));
    pollUntil(reader, () -> output.elements.size() >= 60);

    List<KorpseSplit> snapshot = reader.snapshotState(1);
    pollUntil(reader, () -> output.elements.size() >= 100);
    assertThat(committed().of(topic("committed"))).isEmpty();

    reader.notifyCheckpointComplete(1);
    long expected = snapshot.get(0).position().offset();
    committed().await(topic("committed"), Map.of(0, expected));
  }

  /** W46. */
  @Test
  void commits_emitted_positions_in_intervals_when_there_are_no_checkpoints() throws Exception {
    produce(topic("periodic"), 1, 50);
    SourceReader<String, KorpseSplit> reader =
        reader(
            settings()
                .with(KorpseSourceOptions.COMMIT_MODE, CommitMode.PERIODIC)
                .with(KorpseSourceOptions.COMMIT_INTERVAL, Duration.ofMillis(100)));
    reader.addSplits(List.of(split(topic("periodic"), 0, 0, KorpseSplit.NO_STOP_OFFSET)));

    pollUntil(reader, () -> output.elements.size() >= 50);

    await()
        .atMost(EmbeddedBroker.patience())
        .until(
            () -> {
              reader.pollNext(output);
              return committed().of(topic("periodic")).equals(Map.of(0, 50L));
            });
  }

  @Test
  void the_last_positions_are_in_the_group_when_a_finished_reader_is_closed() throws Exception {
    produce(topic("finished"), 2, 100);
    SourceReader<String, KorpseSplit> reader =
        reader(settings().with(KorpseSourceOptions.COMMIT_MODE, CommitMode.ON_CHECKPOINT_OR_END));
    reader.addSplits(splits(topic("finished"), 2, 100));
    reader.notifyNoMoreSplits();
    pollToEnd(reader);

    open.remove(reader);
    reader.close();

    assertThat(committed().of(topic("finished"))).isEqualTo(Map.of(0, 100L, 1, 100L));
  }

  /** Whoever runs the job again after a failure behind the source would lose the records. */
  @Test
  void nothing_is_in_the_group_when_a_reader_has_ended_before_any_checkpoint() throws Exception {
    produce(topic("early"), 1, 100);
    SourceReader<String, KorpseSplit> reader = reader(settings());
    reader.addSplits(splits(topic("early"), 1, 100));
    reader.notifyNoMoreSplits();
    pollToEnd(reader);

    open.remove(reader);
    reader.close();

    assertThat(committed().of(topic("early"))).isEmpty();
  }

  @Test
  void the_checkpoint_after_the_end_commits_the_last_positions_before_the_close_returns()
      throws Exception {
    produce(topic("final"), 2, 100);
    SourceReader<String, KorpseSplit> reader = reader(settings());
    reader.addSplits(splits(topic("final"), 2, 100));
    reader.notifyNoMoreSplits();
    pollToEnd(reader);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);

    open.remove(reader);
    reader.close();

    assertThat(committed().of(topic("final"))).isEqualTo(Map.of(0, 100L, 1, 100L));
  }

  @Test
  void a_split_that_ends_is_committed_also_without_checkpoints() throws Exception {
    produce(topic("ended"), 2, 50);
    SourceReader<String, KorpseSplit> reader =
        reader(
            settings()
                .with(KorpseSourceOptions.COMMIT_MODE, CommitMode.PERIODIC)
                .with(KorpseSourceOptions.COMMIT_INTERVAL, Duration.ofHours(1)));
    reader.addSplits(
        List.of(
            split(topic("ended"), 0, 0, 50),
            split(topic("ended"), 1, 0, KorpseSplit.NO_STOP_OFFSET)));
    pollUntil(
        reader,
        () -> output.elements.size() >= 100 && output.released.contains(topic("ended") + "-0"));
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);

    committed().await(topic("ended"), Map.of(0, 50L));
  }

  private static Commits committed() {
    return new Commits(broker, GROUP);
  }
}

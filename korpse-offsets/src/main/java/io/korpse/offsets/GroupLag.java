package io.korpse.offsets;

import io.korpse.offsets.lag.LagValue;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * How far a group has come in one partition.
 *
 * @param committed what the group has committed; empty if nothing, or if it could not be told
 * @param end the log end by the isolation level; unknown if the partition could not be asked
 * @param records records between both that the log still holds; unknown without a commit
 * @param lost records between what is committed and the log start, which are gone
 */
public record GroupLag(
    TopicPartition partition,
    Optional<Position> committed,
    LagValue end,
    LagValue records,
    LagValue lost) {}

package io.korpse.flink.source.testing;

import java.io.Serializable;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Passes on what comes; in the first attempt of the last subtask there is trouble midway. */
public final class TroubledFirstAttempt extends RichMapFunction<String, String> {

  private static final long serialVersionUID = 1L;
  private static final int MIDWAY = 50;

  /** What happens to the attempt. */
  @FunctionalInterface
  public interface Trouble extends Serializable {
    void befall() throws Exception;
  }

  private final Trouble trouble;
  private boolean troubled;
  private int seen;

  TroubledFirstAttempt(Trouble trouble) {
    this.trouble = trouble;
  }

  @Override
  public void open(OpenContext context) {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    troubled =
        task.getIndexOfThisSubtask() == task.getNumberOfParallelSubtasks() - 1
            && task.getAttemptNumber() == 0;
  }

  @Override
  public String map(String value) throws Exception {
    if (troubled && ++seen == MIDWAY) {
      trouble.befall();
    }
    return value;
  }
}

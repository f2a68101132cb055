package io.korpse.flink.source.reader;

import org.apache.flink.api.connector.source.ReaderOutput;

/** Says to Flink that a reader without splits is idle, so that it holds back no watermark. */
final class IdleReader {

  private static final String NO_SPLIT = "none";

  private IdleReader() {}

  // Flink takes a reader for idle when its main output and the outputs of its splits all are. Of
  // the latter it remembers how the last one was that said something, also when that is released:
  // a reader whose last split has ended stays active for ever. So one more split says that it is
  // idle, and goes.
  static void mark(ReaderOutput<?> output) {
    output.createOutputForSplit(NO_SPLIT).markIdle();
    output.releaseOutputForSplit(NO_SPLIT);
    output.markIdle();
  }
}

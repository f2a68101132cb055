package io.korpse.flink.source.testing;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** Keeps everything that is logged in this JVM while it is open, exceptions included. */
public final class LogCapture implements AutoCloseable {

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);

  private LogCapture() {}

  /** Captures all of Korpse's levels, and INFO and above of everybody else. */
  public static LogCapture start() {
    LogCapture capture = new LogCapture();
    Configuration configuration = capture.context.getConfiguration();
    Appender keeper = capture.new Keeper();
    keeper.start();
    // What is captured need not be printed as well.
    configuration.getLoggers().values().forEach(logger -> logger.setLevel(Level.INFO));
    LoggerConfig root = configuration.getRootLogger();
    List.copyOf(root.getAppenders().keySet()).forEach(root::removeAppender);
    root.addAppender(keeper, Level.ALL, null);
    configuration.addLogger("io.korpse", new LoggerConfig("io.korpse", Level.ALL, true));
    capture.context.updateLoggers();
    return capture;
  }

  /** Every line so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** Logs again as the file says. */
  @Override
  public void close() {
    context.reconfigure();
  }

  private final class Keeper extends AbstractAppender {
    Keeper() {
      super("keeper", null, null, true, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      StringWriter line = new StringWriter();
      line.append(event.getLoggerName() + ": " + event.getMessage().getFormattedMessage());
      if (event.getThrown() != null) {
        event.getThrown().printStackTrace(new PrintWriter(line, true));
      }
      lines.add(line.toString());
    }
  }
}

package io.korpse.flink.jobs;

import io.korpse.flink.source.OffsetsInitializer;
import java.time.DateTimeException;
import java.time.Instant;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the option {@code --start}. */
final class StartPosition implements ITypeConverter<OffsetsInitializer> {

  @Override
  @SuppressWarnings("deprecation") // the type is part of the source's builder
  public OffsetsInitializer convert(String text) {
    return switch (text) {
      case "committed" -> OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST);
      case "earliest" -> OffsetsInitializer.earliest();
      case "latest" -> OffsetsInitializer.latest();
      default -> OffsetsInitializer.timestamp(time(text).toEpochMilli());
    };
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is not committed, earliest, latest or a time such as 2001-03-09T00:00:00Z");
    }
  }
}

package io.korpse.flink.jobs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes the flights of a file to a Kafka topic, so that the main job has something to read. */
@Command(
    name = "load-flights",
    mixinStandardHelpOptions = true,
    version = "Korpse load-flights",
    showDefaultValues = true,
    description =
        "Writes flights to an existing topic: key = origin, timestamp = the flight's date as UTC,"
            + " value = one line of JSON. The topic must keep records of 2001 (retention.ms=-1).")
public final class LoadFlights implements Callable<Integer> {

  private static final Duration TIME_TO_CONNECT = Duration.ofSeconds(15);

  @Option(names = "--bootstrap-server", paramLabel = "HOST:PORT[,...]", required = true)
  private String bootstrapServers;

  @Option(names = "--topic", paramLabel = "TOPIC")
  private String topic = "flights";

  @Option(
      names = "--file",
      paramLabel = "FILE",
      required = true,
      description = "A JSON array of flights, compressed with gzip.")
  private Path file;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Flights per second; 0 is as fast as it goes.")
  private int rate;

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] arguments) throws Exception {
    JobMain.run(new LoadFlights(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    List<ProducerRecord<String, String>> flights = FlightLoader.read(file, topic);
    TopicCheck.require(bootstrapServers, List.of(topic), new Properties(), TIME_TO_CONNECT);
    FlightLoader.load(bootstrapServers, flights, rate);
    return 0;
  }
}

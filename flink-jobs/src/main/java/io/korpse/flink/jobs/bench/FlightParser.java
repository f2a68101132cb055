package io.korpse.flink.jobs.bench;

import java.io.IOException;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectReader;

/** Binds a whole flight to a class, as a job without a hand-written parser does. */
final class FlightParser extends AbstractDeserializationSchema<FlightParser.Flight> {

  /** A record of the flight data; a class with public fields, so that Flink treats it as a POJO. */
  public static final class Flight {
    public String date;
    public int delay;
    public int distance;
    public String origin;
    public String destination;
  }

  private transient ObjectReader reader;

  @Override
  public void open(InitializationContext context) {
    reader = new ObjectMapper().readerFor(Flight.class);
  }

  @Override
  public Flight deserialize(byte[] message) throws IOException {
    return reader.readValue(message);
  }
}

package io.korpse.flink.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;

/** Reads a flight from its JSON object. */
public final class FlightSchema extends AbstractDeserializationSchema<Flight> {

  private static final long serialVersionUID = 1L;

  private transient ObjectMapper json;

  @Override
  public void open(InitializationContext context) {
    json = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  }

  /**
   * The flight in {@code message}.
   *
   * @throws NotAFlightException when it is no JSON object with an origin and a whole delay
   */
  @Override
  public Flight deserialize(byte[] message) throws IOException {
    JsonNode flight;
    try {
      flight = json.readTree(message);
    } catch (JsonProcessingException e) {
      throw new NotAFlightException("The value is not JSON: " + e.getOriginalMessage(), e);
    }
    JsonNode origin = flight.path("origin");
    JsonNode delay = flight.path("delay");
    if (!origin.isTextual()) {
      throw new NotAFlightException("The flight has no text 'origin'", null);
    }
    if (!delay.canConvertToInt() || !delay.isIntegralNumber()) {
      throw new NotAFlightException("The flight has no whole number 'delay'", null);
    }
    return new Flight(origin.textValue(), delay.intValue());
  }
}

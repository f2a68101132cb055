package io.korpse.flink.source.testing;

import io.korpse.testing.EmbeddedBroker;
import org.apache.flink.connector.testframe.TestResource;

/** A broker for Flink's connector test suite. */
public final class BrokerResource implements TestResource {

  private EmbeddedBroker broker;

  /** The broker, once it is up. */
  public EmbeddedBroker broker() {
    return broker;
  }

  @Override
  public void startUp() {
    if (broker == null) {
      broker = EmbeddedBroker.start();
    }
  }

  @Override
  public void tearDown() {
    if (broker != null) {
      broker.close();
      broker = null;
    }
  }
}

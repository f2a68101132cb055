package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

final class PortsTest {

  @Test
  void gives_distinct_ports() {
    assertThat(Ports.free(20)).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void sees_that_a_port_is_taken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(Ports.isFree(taken.getLocalPort())).isFalse();
    }
  }
}

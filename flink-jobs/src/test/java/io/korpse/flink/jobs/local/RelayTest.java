package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RelayTest {

  private ServerSocket server;
  private Relay relay;
  private int port;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    port = Ports.free(1).get(0);
    relay = Relay.start(port, server.getLocalPort());
  }

  @AfterEach
  void stop() throws IOException {
    relay.close();
    server.close();
  }

  @Test
  void passes_bytes_both_ways() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      client.getOutputStream().write(7);
      assertThat(accepted.getInputStream().read()).isEqualTo(7);
      accepted.getOutputStream().write(8);
      assertThat(client.getInputStream().read()).isEqualTo(8);
    }
  }

  @Test
  void a_silent_cut_holds_bytes_back_until_it_is_healed() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      relay.cut(Relay.Cut.SILENT);
      client.getOutputStream().write(7);
      accepted.setSoTimeout(200);
      assertThatThrownBy(() -> accepted.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      relay.heal();
      accepted.setSoTimeout(0);
      assertThat(accepted.getInputStream().read()).isEqualTo(7);
    }
  }

  @Test
  void a_reset_ends_connections_and_refuses_new_ones_until_it_is_healed() throws IOException {
    try (Socket client = connect();
        Socket accepted = server.accept()) {
      relay.cut(Relay.Cut.RESET);
      assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
      assertThat(ended(accepted)).isTrue();
      try (Socket refused = connect()) {
        assertThat(ended(refused)).isTrue();
      }
    }
    relay.heal();
    passes_bytes_both_ways();
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  private static boolean ended(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true;
    }
  }
}

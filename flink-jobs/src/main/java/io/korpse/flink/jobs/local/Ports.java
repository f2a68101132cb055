package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * TCP ports of this machine's loopback address. Thread-safe.
 *
 * <p>Ports are taken from below the range that systems give to outgoing connections: one from that
 * range may be in use by a client by the time the server starts. A port is given once per JVM.
 */
public final class Ports {

  private static final int FIRST = 15_000;
  private static final int COUNT = 15_000;

  private static final Random RANDOM = new Random();
  private static final Set<Integer> GIVEN = new HashSet<>();

  private Ports() {}

  /** Distinct ports that are free now. */
  public static synchronized List<Integer> free(int count) {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < count) {
      if (GIVEN.size() > COUNT / 2) {
        GIVEN.clear();
      }
      int port = FIRST + RANDOM.nextInt(COUNT);
      if (!ports.contains(port) && GIVEN.add(port) && isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  /** Whether a server could listen on the port now. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

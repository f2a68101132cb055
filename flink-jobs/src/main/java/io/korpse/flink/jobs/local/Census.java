package io.korpse.flink.jobs.local;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * What of sources and Kafka clients lives in this JVM.
 *
 * @param threads how many of each name, digits left out
 * @param clients number of Kafka clients, which register themselves with the JVM's management
 */
public record Census(Map<String, Integer> threads, int clients) {

  private static final Pattern OURS = Pattern.compile("(?i)kafka|korpse|source");
  private static final Pattern DIGITS = Pattern.compile("[0-9a-f]*\\d[0-9a-f]*");

  /** Counts now. */
  public static Census take() {
    Map<String, Integer> threads = new TreeMap<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (OURS.matcher(thread.getName()).find()) {
        threads.merge(DIGITS.matcher(thread.getName()).replaceAll("#"), 1, Integer::sum);
      }
    }
    try {
      Set<ObjectName> clients =
          ManagementFactory.getPlatformMBeanServer()
              .queryNames(new ObjectName("kafka.*:type=app-info,*"), null);
      return new Census(threads, clients.size());
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Number of threads. */
  public int threadCount() {
    return threads.values().stream().mapToInt(Integer::intValue).sum();
  }
}

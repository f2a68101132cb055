package io.korpse.flink.jobs.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * What this process has used up to a moment.
 *
 * @param nanos monotonic time
 * @param cpuNanos CPU time of the whole process: all threads, JIT and GC included
 * @param allocated bytes allocated by each live thread, by thread id
 */
record Meter(long nanos, long cpuNanos, Map<Long, Long> allocated) {

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static Meter now() {
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    Map<Long, Long> allocated = new HashMap<>(ids.length * 2);
    for (int i = 0; i < ids.length; i++) {
      if (bytes[i] >= 0) {
        allocated.put(ids[i], bytes[i]);
      }
    }
    return new Meter(System.nanoTime(), SYSTEM.getProcessCpuTime(), allocated);
  }

  double secondsSince(Meter start) {
    return (nanos - start.nanos) / 1e9;
  }

  double cpuSecondsSince(Meter start) {
    return (cpuNanos - start.cpuNanos) / 1e9;
  }

  /**
   * Bytes allocated since {@code start} by the threads that live now; what a thread allocated that
   * started and ended in between is not seen.
   */
  long allocatedSince(Meter start) {
    long sum = 0;
    for (Map.Entry<Long, Long> entry : allocated.entrySet()) {
      sum += entry.getValue() - start.allocated.getOrDefault(entry.getKey(), 0L);
    }
    return sum;
  }

  /** Rate, CPU and allocation for {@code records} records since {@code start}. */
  Figures figuresSince(Meter start, long records) {
    return new Figures()
        .put("recordsPerSecond", records / secondsSince(start))
        .put("cpuNanosPerRecord", cpuSecondsSince(start) * 1e9 / records)
        .put("allocatedBytesPerRecord", (double) allocatedSince(start) / records);
  }
}

package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ClientIdsTest {

  @Test
  void begin_with_prefix_and_subtask_and_differ() {
    assertThat(ClientIds.next("g", 3)).startsWith("g-3-").isNotEqualTo(ClientIds.next("g", 3));
  }

  /** Each job has its own class loader, and the same ids were given in each. */
  @Test
  void differ_between_jobs_of_one_process() throws Exception {
    Set<String> ids = new HashSet<>();
    for (int job = 0; job < 3; job++) {
      URL code = ClientIds.class.getProtectionDomain().getCodeSource().getLocation();
      try (URLClassLoader loader =
          new URLClassLoader(new URL[] {code}, ClassLoader.getPlatformClassLoader())) {
        Class<?> loaded = loader.loadClass(ClientIds.class.getName());
        Method next = loaded.getDeclaredMethod("next", String.class, int.class);
        next.setAccessible(true);
        ids.add((String) next.invoke(null, "g", 0));
      }
    }
    assertThat(ids).hasSize(3);
  }
}

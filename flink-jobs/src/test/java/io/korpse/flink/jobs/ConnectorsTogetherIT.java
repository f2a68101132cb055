package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.source.KorpseSource;
import io.korpse.offsets.Position;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.connector.base.source.reader.SourceReaderBase;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.util.ChildFirstClassLoader;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Which classes a job gets, with Flink's own order of class loaders (the job's first, but {@code
 * org.apache.flink} from the cluster), where Korpse and flink-connector-kafka are both there.
 */
final class ConnectorsTogetherIT {

  private static final String KORPSE = "io.korpse.flink.source.KorpseSource";
  private static final String KORPSE_USE =
      "io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema";
  private static final String SINK = "org.apache.flink.connector.kafka.sink.KafkaSink";
  private static final String SINK_USE =
      "org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema";
  private static final String CLIENT = "org.apache.kafka.clients.consumer.ConsumerRecord";

  private final List<URLClassLoader> open = new ArrayList<>();

  @AfterEach
  void closeLoaders() throws IOException {
    for (URLClassLoader loader : open) {
      loader.close();
    }
  }

  @Test
  void in_one_job_jar_both_use_its_client() throws Exception {
    ClassLoader lib = lib();
    ClassLoader job = job(lib, jobJar());

    assertThat(List.of(loaderOf(KORPSE, job), loaderOf(SINK, job), loaderOf(CLIENT, job)))
        .containsOnly(job);
    assertThat(clientOf(KORPSE_USE, "deserialize", job)).isSameAs(job);
    assertThat(clientOf(SINK_USE, "serialize", job)).isSameAs(job);
    // The class that the job jar replaces, with what either version of the client calls.
    assertThat(
            Class.forName(
                    "org.apache.kafka.clients.producer.internals.TransactionalRequestResult",
                    true,
                    job)
                .getMethods())
        .extracting(method -> method.getName() + method.getParameterCount())
        .contains("await0", "await3");
  }

  @Test
  void a_sink_in_lib_uses_the_client_in_lib_and_korpse_that_of_its_job() throws Exception {
    ClassLoader lib = lib(jarOf(KafkaSink.class), jarOf(KafkaConsumer.class));
    ClassLoader job = job(lib, jobJar());

    assertThat(loaderOf(SINK, job)).isSameAs(lib);
    assertThat(clientOf(SINK_USE, "serialize", job)).isSameAs(lib);
    assertThat(loaderOf(KORPSE, job)).isSameAs(job);
    assertThat(clientOf(KORPSE_USE, "deserialize", job)).isSameAs(job);
    // So what the job's code calls a ProducerRecord is not what the sink does.
    assertThat(loaderOf("org.apache.kafka.clients.producer.ProducerRecord", job)).isSameAs(job);
  }

  @Test
  void both_in_lib_use_the_client_in_lib_when_the_job_brings_none() throws Exception {
    ClassLoader lib =
        lib(
            jarOf(KafkaSink.class),
            jarOf(KafkaConsumer.class),
            jarOf(SourceReaderBase.class),
            jarOf(KorpseSource.class),
            jarOf(Position.class));
    ClassLoader job = job(lib);

    assertThat(List.of(loaderOf(KORPSE, job), loaderOf(SINK, job), loaderOf(CLIENT, job)))
        .containsOnly(lib);
    assertThat(clientOf(KORPSE_USE, "deserialize", job)).isSameAs(lib);
    assertThat(clientOf(SINK_USE, "serialize", job)).isSameAs(lib);
  }

  /** Where the Kafka class comes from that a method takes or returns. */
  private static ClassLoader clientOf(String user, String method, ClassLoader loader)
      throws ClassNotFoundException {
    return Arrays.stream(Class.forName(user, true, loader).getMethods())
        .filter(each -> each.getName().equals(method))
        .flatMap(
            each ->
                Arrays.stream(
                    method.equals("serialize")
                        ? new Class<?>[] {each.getReturnType()}
                        : each.getParameterTypes()))
        .filter(type -> type.getName().startsWith("org.apache.kafka."))
        .findFirst()
        .orElseThrow()
        .getClassLoader();
  }

  private static ClassLoader loaderOf(String name, ClassLoader loader)
      throws ClassNotFoundException {
    return Class.forName(name, true, loader).getClassLoader();
  }

  private ClassLoader lib(URL... more) throws MalformedURLException {
    List<URL> urls = new ArrayList<>(List.of(more));
    for (Path jar : classpath().flink()) {
      urls.add(jar.toUri().toURL());
    }
    URLClassLoader loader =
        new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    open.add(loader);
    return loader;
  }

  private ClassLoader job(ClassLoader lib, URL... jars) {
    URLClassLoader loader =
        new ChildFirstClassLoader(
            jars,
            lib,
            CoreOptions.getParentFirstLoaderPatterns(new Configuration()),
            error -> {
              throw new IllegalStateException(error);
            });
    open.add(loader);
    return loader;
  }

  private static URL jobJar() throws MalformedURLException {
    return classpath().jobJar().toUri().toURL();
  }

  private static Classpath classpath() {
    return Classpath.of(Path.of("target"));
  }

  private static URL jarOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }
}

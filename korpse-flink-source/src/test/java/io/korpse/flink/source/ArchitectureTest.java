package io.korpse.flink.source;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who may know whom: offsets, then the source, then the jobs, and never back. */
final class ArchitectureTest {

  private static final String SOURCE = "io.korpse.flink.source";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.korpse");

  @Test
  void the_source_knows_no_jobs() {
    noClasses()
        .that()
        .resideInAPackage("io.korpse.flink.source..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.korpse.flink.jobs..")
        .check(CLASSES);
  }

  @Test
  void the_offsets_know_nothing_of_the_source() {
    noClasses()
        .that()
        .resideInAPackage("io.korpse.offsets..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.korpse.flink..")
        .check(CLASSES);
  }

  @Test
  void the_peer_is_used_by_tests_only() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.flink.connector.kafka..")
        .check(CLASSES);
  }

  @Test
  void splits_and_events_know_neither_readers_nor_enumerators() {
    noClasses()
        .that()
        .resideInAnyPackage(SOURCE + ".split", SOURCE + ".enumerator.event")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(SOURCE + ".reader..", SOURCE + ".enumerator", SOURCE)
        .check(CLASSES);
  }

  @Test
  void enumerator_and_reader_meet_in_events_only() {
    noClasses()
        .that()
        .resideInAPackage(SOURCE + ".enumerator..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(SOURCE + ".reader..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage(SOURCE + ".reader..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(SOURCE + ".enumerator")
        .check(CLASSES);
  }

  @Test
  void the_proxy_is_plain_kafka_and_flinks_reader_api() {
    noClasses()
        .that()
        .resideInAPackage(SOURCE + ".reader.proxy")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(SOURCE, SOURCE + ".reader", SOURCE + ".enumerator..")
        .check(CLASSES);
  }

  @Test
  void time_and_chance_are_handed_in() {
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(CLASSES);
    noClasses().should().callConstructor(Random.class).check(CLASSES);
  }
}

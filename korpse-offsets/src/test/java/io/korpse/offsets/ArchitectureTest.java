package io.korpse.offsets;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import org.junit.jupiter.api.Test;

final class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.korpse");

  @Test
  void only_the_metrics_package_knows_flink_and_of_it_only_the_metrics() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.korpse.offsets.metrics..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.flink..")
        .check(CLASSES);
    noClasses()
        .should()
        .dependOnClassesThat(
            com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage(
                    "org.apache.flink..")
                .and(
                    com.tngtech.archunit.base.DescribedPredicate.not(
                        com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage(
                            "org.apache.flink.metrics.."))))
        .check(CLASSES);
  }

  @Test
  void nothing_here_knows_the_source_or_the_jobs() {
    noClasses().should().dependOnClassesThat().resideInAPackage("io.korpse.flink..").check(CLASSES);
  }

  @Test
  void values_know_nothing_of_commits_lag_and_metrics() {
    noClasses()
        .that()
        .resideInAPackage("io.korpse.offsets.commit..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.korpse.offsets.lag..", "io.korpse.offsets.metrics..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("io.korpse.offsets.lag..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.korpse.offsets.commit..", "io.korpse.offsets.metrics..")
        .check(CLASSES);
  }

  @Test
  void time_is_handed_in() {
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(CLASSES);
    noClasses().should().callMethod(System.class, "nanoTime").check(CLASSES);
    noClasses()
        .that()
        .haveSimpleNameNotEndingWith("Builder")
        .should()
        .callMethod(Clock.class, "systemUTC")
        .check(CLASSES);
  }
}

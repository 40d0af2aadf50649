package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.muster.core.arch.PackageLine;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The modules look one way: core, then policy, then the two worlds that never see each other, then
/// deploy.
final class ModuleDirectionTest {
  private static final List<List<String>> MODULES =
      List.of(
          List.of("core"), List.of("policy"), List.of("server", "simulator"), List.of("deploy"));

  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(place -> !place.contains("-tests.jar"))
          .importPackages("dev.muster");

  @Test
  void every_module_looks_only_down() {
    new PackageLine("dev.muster", MODULES).rule().check(ALL);
  }

  @Test
  void the_test_sees_every_module() {
    for (List<String> place : MODULES) {
      for (String module : place) {
        assertThat(ALL)
            .as(module)
            .anyMatch(type -> type.getPackageName().startsWith("dev.muster." + module));
      }
    }
  }
}

package dev.muster.core.arch;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The core keeps its rules. [RulesBiteTest] shows that the rules can fail.
final class CoreArchitectureTest {
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(new ImportOption.DoNotIncludeJars())
          .importPackages("dev.muster.core");

  static List<ArchRule> bans() {
    return CoreRules.ALL;
  }

  @ParameterizedTest
  @MethodSource("bans")
  void stays_pure(ArchRule ban) {
    ban.check(CORE);
  }

  @Test
  void packages_depend_only_on_packages_to_their_left() {
    new PackageLine("dev.muster.core", PackageLine.CORE).rule().check(CORE);
  }
}

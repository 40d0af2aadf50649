package dev.muster.core.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.muster.core.arch.bad.Impure;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Each rule fails on the class made to break it, and on no other.
final class RulesBiteTest {
  private static final JavaClasses FIXTURES =
      new ClassFileImporter().importClasses(Impure.class.getDeclaredClasses());

  /// Nested class of [Impure] to the one rule it breaks.
  private static Map<String, ArchRule> expected() {
    var expected = new LinkedHashMap<String, ArchRule>();
    List.of("ReadsFile", "Prints").forEach(name -> expected.put(name, CoreRules.INPUT_OUTPUT));
    List.of("Locks", "StartsThread").forEach(name -> expected.put(name, CoreRules.THREADS));
    expected.put("Parallel", CoreRules.PARALLEL_STREAMS);
    List.of("AsksInstant", "AsksClock", "AsksNanos")
        .forEach(name -> expected.put(name, CoreRules.CLOCK));
    expected.put("AsksEnvironment", CoreRules.ENVIRONMENT);
    expected.put("Draws", CoreRules.RANDOMNESS);
    List.of("DrawsUuid", "Shuffles").forEach(name -> expected.put(name, CoreRules.RANDOM_CALLS));
    expected.put("Hashes", CoreRules.UNORDERED_TYPES);
    List.of("MapOf", "SetCopy").forEach(name -> expected.put(name, CoreRules.UNORDERED_FACTORIES));
    List.of("Groups", "ToSet").forEach(name -> expected.put(name, CoreRules.UNORDERED_COLLECTORS));
    List.of("Doubles", "ReturnsFloat").forEach(name -> expected.put(name, ExactNumbers.RULE));
    expected.put("UsesLibrary", CoreRules.DEPENDENCIES);
    expected.put("Logs", CoreRules.LOGGING);
    return expected;
  }

  @Test
  void every_rule_fails_on_its_fixture_and_no_other() {
    Map<String, ArchRule> expected = expected();
    assertThat(expected.values()).containsAll(CoreRules.ALL);
    for (Class<?> fixture : Impure.class.getDeclaredClasses()) {
      List<ArchRule> broken = CoreRules.ALL.stream().filter(rule -> breaks(fixture, rule)).toList();
      ArchRule only = expected.get(fixture.getSimpleName());
      assertThat(broken)
          .as(fixture.getSimpleName())
          .isEqualTo(only == null ? List.of() : List.of(only));
    }
  }

  @Test
  void every_expected_fixture_exists() {
    List<String> fixtures =
        Arrays.stream(Impure.class.getDeclaredClasses()).map(Class::getSimpleName).toList();
    assertThat(fixtures).containsAll(expected().keySet()).contains("Innocent");
  }

  @Test
  void package_order_names_backward_sideways_and_unknown_dependencies() {
    String root = "dev.muster.core.arch.bad.line";
    var found =
        new PackageLine(root, PackageLine.CORE)
            .rule()
            .evaluate(new ClassFileImporter().importPackages(root));
    String report = found.getFailureReport().toString();
    assertThat(report)
        .contains("LooksSideways", "LooksRight", "Placeless")
        .contains("<" + root + ".fit.LooksLeft>");
    assertThat(report).doesNotContain("LooksLeft> has", "Ground");
  }

  private static boolean breaks(Class<?> fixture, ArchRule rule) {
    return rule.evaluate(
            FIXTURES.that(
                DescribedPredicate.describe("are it", type -> type.isEquivalentTo(fixture))))
        .hasViolation();
  }
}

package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.muster.core.arch.PackageLine;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Modules depend in one direction: core, policy, then server and simulator side by side, then
/// deploy.
final class ModuleDirectionTest {
  private static final List<List<String>> MODULES =
      List.of(
          List.of("core"), List.of("policy"), List.of("server", "simulator"), List.of("deploy"));

  private static final List<List<String>> POLICY =
      List.of(
          List.of("yaml"),
          List.of("file"),
          List.of("journal", "preemption.expression"),
          List.of("config", "preemption"),
          List.of("preemption.explain"),
          List.of("preemption.load"));

  private static final List<List<String>> SERVER =
      List.of(
          List.of("logging", "fair"),
          List.of("kube.parse"),
          List.of("kube.client", "kube.dra.cel"),
          List.of("kube.budget", "kube.owner.kind", "kube.start"),
          List.of("kube.owner"),
          List.of("kube.dra"),
          List.of("kube.codec"),
          List.of("kube.record", "kube.watch.gang"),
          List.of("kube.watch", "kube.act"),
          List.of("loop", "metrics", "usage", "tracing", "http.extender", "http.receive"),
          List.of("http.access"),
          List.of("http.page", "http.stream"),
          List.of("http.screen"),
          List.of("kube", "http"),
          List.of(""));

  private static final List<List<String>> SIMULATOR =
      List.of(
          List.of("file"),
          List.of("trace", "fleet"),
          List.of("trace.format", "run.record"),
          List.of("run"),
          List.of("run.engine", "baseline", "summary"),
          List.of("report"),
          List.of("experiment", "generate", "live"),
          List.of("cli.terminal", "cli.option"),
          List.of("cli"));

  static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(place -> !place.contains("-tests.jar"))
          .importPackages("dev.muster");

  @Test
  void modules_depend_only_on_modules_below() {
    new PackageLine("dev.muster", MODULES).rule().check(ALL);
  }

  @Test
  void packages_of_policy_look_only_left() {
    new PackageLine("dev.muster.policy", POLICY).rule().check(ALL);
  }

  @Test
  void packages_of_the_server_look_only_left() {
    new PackageLine("dev.muster.server", SERVER).rule().check(ALL);
  }

  @Test
  void packages_of_the_simulator_look_only_left() {
    new PackageLine("dev.muster.simulator", SIMULATOR).rule().check(ALL);
  }

  @Test
  void test_covers_every_module() {
    for (List<String> place : MODULES) {
      for (String module : place) {
        assertThat(ALL)
            .as(module)
            .anyMatch(type -> type.getPackageName().startsWith("dev.muster." + module));
      }
    }
  }
}

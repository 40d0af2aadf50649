package dev.muster.deploy.policy;

import dev.muster.policy.preemption.load.PolicyChecks;
import dev.muster.policy.preemption.load.PolicyChecks.Outcome;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster policy test`: runs the tests in policies and in the test files beside them.
@Command(
    name = "test",
    description =
        "Runs the tests that policies have in their files, and in *.test.yaml beside them.",
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private PolicyFiles files = new PolicyFiles();

  @Parameters(
      paramLabel = "PLACE",
      arity = "1..*",
      description = "A policy file, or a folder whose files make one policy.")
  private List<Path> places = List.of();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PolicyLoader loader = files.loader();
    int failed = 0;
    int tests = 0;
    for (Path place : places) {
      List<Outcome> outcomes = files.value(PolicyChecks.run(place, loader)).orElse(List.of());
      outcomes.forEach(outcome -> print(out, place, outcome));
      tests += outcomes.size();
      failed += (int) outcomes.stream().filter(outcome -> !outcome.passed()).count();
    }
    if (tests > 0) {
      out.printf("%d of %d tests passed.%n", tests - failed, tests);
    } else if (files.areValid()) {
      out.println(
          "There are no tests, neither under tests nor in a *.test.yaml beside the policy.");
    }
    out.flush();
    return files.complain(spec.commandLine().getErr()).orElse(failed == 0 ? 0 : 1);
  }

  private static void print(PrintWriter out, Path place, Outcome outcome) {
    for (String disagreement : outcome.disagreements()) {
      out.printf("%s: %s: %s%n", place, outcome.name(), disagreement);
    }
  }
}

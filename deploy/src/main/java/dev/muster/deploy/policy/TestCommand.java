package dev.muster.deploy.policy;

import dev.muster.policy.preemption.load.PolicyChecks.Outcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      paramLabel = "text|json|junit",
      description = "Format of the results. Default: ${DEFAULT-VALUE}.")
  private PolicyReport.Format output = PolicyReport.Format.TEXT;

  @Parameters(
      paramLabel = "PLACE",
      arity = "1..*",
      description =
          "A policy file, a folder whose files make one policy, or - for the standard input.")
  private List<Path> places = List.of();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    List<PolicyReport.Policy> policies = files.checked(places);
    switch (output) {
      case TEXT -> print(out, policies);
      case JSON -> out.println(files.report(policies).json());
      case JUNIT -> out.println(files.report(policies).junit());
    }
    out.flush();
    boolean failed =
        policies.stream()
            .flatMap(policy -> policy.checked().outcomes().stream())
            .anyMatch(outcome -> !outcome.passed());
    return files.complain(spec.commandLine().getErr()).orElse(failed ? 1 : 0);
  }

  private void print(PrintWriter out, List<PolicyReport.Policy> policies) {
    int tests = 0;
    int passed = 0;
    for (PolicyReport.Policy policy : policies) {
      for (Outcome outcome : policy.checked().outcomes()) {
        for (String disagreement : outcome.disagreements()) {
          out.printf("%s: %s: %s%n", policy.place(), outcome.name(), disagreement);
        }
        passed += outcome.passed() ? 1 : 0;
        tests++;
      }
    }
    if (tests == 0 && files.areValid()) {
      out.println(
          "There are no tests, neither under tests nor in a *.test.yaml beside the policy.");
    }
    if (tests > 0) {
      out.printf("%d of %s passed.%n", passed, tests == 1 ? "1 test" : tests + " tests");
      policies.forEach(policy -> coverage(out, policy));
    }
  }

  private static void coverage(PrintWriter out, PolicyReport.Policy policy) {
    List<String> untested = policy.checked().untested();
    if (!untested.isEmpty()) {
      out.printf("%s: decided in no test: %s.%n", policy.place(), String.join(", ", untested));
    }
  }
}

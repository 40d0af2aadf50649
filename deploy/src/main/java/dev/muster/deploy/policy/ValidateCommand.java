package dev.muster.deploy.policy;

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

/// `muster policy validate`: reports all problems of policies at once.
@Command(
    name = "validate",
    description = "Checks policies: prints all problems, or the revision of each valid policy.",
    mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private PolicyFiles files = new PolicyFiles();

  /// A format of results.
  enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      paramLabel = "text|json",
      description = "Format of the results. Default: ${DEFAULT-VALUE}.")
  private Format output = Format.TEXT;

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
      case TEXT -> policies.forEach(policy -> print(out, policy));
      case JSON -> out.println(files.report(policies).json());
    }
    out.flush();
    return files.complain(spec.commandLine().getErr()).orElse(0);
  }

  private static void print(PrintWriter out, PolicyReport.Policy policy) {
    int tests = policy.checked().outcomes().size();
    out.printf(
        "%s is valid: revision %s, %s.%n",
        policy.place(), policy.checked().revision(), tests == 1 ? "1 test" : tests + " tests");
  }
}

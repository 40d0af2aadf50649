package dev.muster.deploy.policy;

import dev.muster.policy.file.Loaded;
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

/// `muster policy validate`: reports all problems of policies at once.
@Command(
    name = "validate",
    description = "Checks policies: prints all problems, or the revision of each valid policy.",
    mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
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
    for (Path place : places) {
      Loaded<List<Outcome>> loaded = PolicyChecks.run(place, loader);
      if (files.value(loaded).isPresent()
          && loaded instanceof Loaded.Valid<List<Outcome>>(var tests, String revision)) {
        out.printf("%s is valid: revision %s, %d tests.%n", place, revision, tests.size());
      }
    }
    out.flush();
    return files.complain(spec.commandLine().getErr()).orElse(0);
  }
}

package dev.muster.deploy.policy;

import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.core.preemption.Subject;
import dev.muster.policy.preemption.Explanation;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.Snapshot;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster policy explain`: says of each running gang whether it may be stopped for another, why,
/// and at what price.
@Command(
    name = "explain",
    description = "Says rule by rule who may be stopped for a gang, who is spared and until when.",
    mixinStandardHelpOptions = true)
final class Explain implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private PolicyFiles files = new PolicyFiles();

  @Parameters(
      paramLabel = "PLACE",
      description = "A policy file, or a folder whose files make one policy.")
  private Path place = Path.of("");

  @Option(
      names = "--subjects",
      required = true,
      paramLabel = "FILE",
      description = "The gangs: a file of kind PreemptionSubjects.")
  private Path subjects = Path.of("");

  @Option(
      names = "--preemptor",
      required = true,
      paramLabel = "NAMESPACE/NAME",
      description = "The gang that asks for room, one of those that wait.")
  private String preemptor = "";

  @Override
  public Integer call() throws IOException {
    Optional<PreemptionPolicy> policy = files.value(files.loader().load(PolicySources.of(place)));
    Optional<Snapshot> snapshot = files.value(Snapshot.read(subjects));
    if (policy.isPresent() && snapshot.isPresent()) {
      Subject gang = preemptor(snapshot.get().waiting());
      PrintWriter out = spec.commandLine().getOut();
      new Explanation(policy.get(), snapshot.get().now())
          .text(gang, snapshot.get().running())
          .forEach(out::println);
      out.flush();
    }
    return files.complain(spec.commandLine().getErr()).orElse(0);
  }

  private Subject preemptor(List<Subject> waiting) {
    return waiting.stream()
        .filter(gang -> gang.gang().toString().equals(preemptor))
        .findFirst()
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "No gang %s waits in %s. Maybe one of: %s."
                    .formatted(
                        preemptor,
                        subjects,
                        waiting.stream()
                            .map(gang -> gang.gang().toString())
                            .limit(10)
                            .collect(Collectors.joining(", ")))));
  }
}

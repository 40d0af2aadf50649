package dev.muster.deploy.policy;

import dev.muster.core.decision.PlainText;
import dev.muster.core.gang.GangId;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.preemption.explain.ClusterExplanation;
import dev.muster.policy.preemption.explain.GangSnapshot;
import dev.muster.policy.preemption.explain.PolicyExplanation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster policy explain`: shows for each running gang if it may be preempted, why, and its price.
@Command(
    name = "explain",
    description =
        "Shows rule by rule which gangs may be preempted for a gang, and which are spared until when.",
    mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private PolicyFiles files = new PolicyFiles();

  @Parameters(
      paramLabel = "PLACE",
      description =
          "A policy file, a folder whose files make one policy, or - for the standard input.")
  private Path place = Path.of("");

  @ArgGroup(multiplicity = "1")
  private GangSource gangs = new GangSource();

  @Option(
      names = "--preemptor",
      required = true,
      paramLabel = "NAMESPACE/NAME",
      description = "The gang that waits for capacity.")
  private String preemptor = "";

  @Override
  public Integer call() throws IOException {
    Optional<PreemptionPolicy> policy = files.value(files.loader().load(files.sources(place)));
    Path cluster = gangs.cluster();
    List<String> text =
        cluster == null
            ? ofSubjects(policy, files.value(GangSnapshot.read(gangs.subjects())))
            : ofCluster(policy, files.cluster(cluster));
    PrintWriter out = spec.commandLine().getOut();
    text.stream().flatMap(String::lines).map(PlainText::line).forEach(out::println);
    out.flush();
    return files.complain(spec.commandLine().getErr()).orElse(0);
  }

  private List<String> ofSubjects(
      Optional<PreemptionPolicy> policy, Optional<GangSnapshot> snapshot) {
    if (policy.isEmpty() || snapshot.isEmpty()) {
      return List.of();
    }
    GangProfile gang = preemptor(snapshot.get().waiting(), GangProfile::gang);
    return new PolicyExplanation(policy.get(), snapshot.get().now())
        .text(gang, snapshot.get().running());
  }

  private List<String> ofCluster(
      Optional<PreemptionPolicy> policy, Optional<ClusterSnapshot> snapshot) {
    if (policy.isEmpty() || snapshot.isEmpty()) {
      return List.of();
    }
    ClusterExplanation explanation = new ClusterExplanation(snapshot.get(), policy.get());
    return explanation.text(preemptor(explanation.waiting(), gang -> gang));
  }

  private <T> T preemptor(List<T> waiting, Function<T, GangId> name) {
    return waiting.stream()
        .filter(gang -> name.apply(gang).toString().equals(preemptor))
        .findFirst()
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "No gang %s waits for capacity in %s. %s"
                    .formatted(
                        preemptor,
                        gangs,
                        waiting.isEmpty()
                            ? "No gang does."
                            : waiting.stream()
                                .map(gang -> name.apply(gang).toString())
                                .limit(10)
                                .collect(Collectors.joining(", ", "Known: ", ".")))));
  }
}

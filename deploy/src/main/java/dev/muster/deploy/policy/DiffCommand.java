package dev.muster.deploy.policy;

import dev.muster.core.decision.PlainText;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.preemption.explain.ClusterExplanation;
import dev.muster.policy.preemption.explain.GangSnapshot;
import dev.muster.policy.preemption.explain.PolicyExplanation;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster policy diff`: shows the rulings that change from one policy to another.
@Command(
    name = "diff",
    description = "Shows the effect of another policy on the gangs of a snapshot.",
    mixinStandardHelpOptions = true)
final class DiffCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private PolicyFiles files = new PolicyFiles();

  @Parameters(index = "0", paramLabel = "OLD", description = "The policy in force.")
  private Path before = Path.of("");

  @Parameters(index = "1", paramLabel = "NEW", description = "The new policy.")
  private Path after = Path.of("");

  @ArgGroup(multiplicity = "1")
  private GangSource gangs = new GangSource();

  @Override
  public Integer call() throws IOException {
    PolicyLoader loader = files.loader();
    Optional<PreemptionPolicy> old = files.value(loader.load(files.sources(before)));
    Optional<PreemptionPolicy> young = files.value(loader.load(files.sources(after)));
    Path cluster = gangs.cluster();
    if (cluster == null) {
      Optional<GangSnapshot> snapshot = files.value(GangSnapshot.read(gangs.subjects()));
      if (old.isPresent() && young.isPresent() && snapshot.isPresent()) {
        print(
            PolicyExplanation.changes(old.get(), young.get(), snapshot.get()),
            snapshot.get().waiting().size(),
            snapshot.get().running().size());
      }
    } else {
      Optional<ClusterSnapshot> snapshot = files.cluster(cluster);
      if (old.isPresent() && young.isPresent() && snapshot.isPresent()) {
        var explanation = new ClusterExplanation(snapshot.get(), young.get());
        print(
            ClusterExplanation.changes(old.get(), young.get(), snapshot.get()),
            explanation.waiting().size(),
            explanation.running());
      }
    }
    return files.complain(spec.commandLine().getErr()).orElse(0);
  }

  private void print(List<String> changes, int waiting, int running) {
    PrintWriter out = spec.commandLine().getOut();
    changes.stream().flatMap(String::lines).map(PlainText::line).forEach(out::println);
    out.printf(
        "Changes: %d, among %d waiting and %d running gangs.%n", changes.size(), waiting, running);
    out.flush();
  }
}

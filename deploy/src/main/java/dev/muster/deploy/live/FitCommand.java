package dev.muster.deploy.live;

import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster simulate fit`: shows if a gang would start now, where, after which evictions, or why
/// not.
@Command(
    name = "fit",
    description = {
      "Shows if a PodGroup with its pods, or the object of a job controller, would start now, where, after which evictions, or why not.",
      "Nothing is submitted: the engine runs on a snapshot, or on the current state of a live cluster."
    },
    mixinStandardHelpOptions = true)
public final class FitCommand implements Callable<Integer> {
  /// Formats of the answer.
  enum Output {
    TEXT,
    JSON
  }

  @Mixin private LiveCluster live = new LiveCluster();

  @Parameters(
      paramLabel = "FILE",
      description =
          "A PodGroup and the objects that create its pods, or only the object of a job controller such as a JobSet, in YAML, as for kubectl apply.")
  private Path file = Path.of("");

  @Option(
      names = "--snapshot",
      paramLabel = "FILE",
      description = "A snapshot, or the journal of a server. Default: the live cluster.")
  private @Nullable Path snapshot;

  @Option(
      names = "--preemption",
      paramLabel = "FILE",
      description = "The preemption policy, a file or folder. Default: no preemption.")
  private @Nullable Path preemption;

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "default",
      paramLabel = "NAME",
      description = "Namespace of objects that name none. Default: ${DEFAULT-VALUE}.")
  private String namespace = "default";

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      paramLabel = "text|json",
      description = "Format of the answer. Default: ${DEFAULT-VALUE}.")
  private Output output = Output.TEXT;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException {
    UnaryOperator<Policies> policies = policies();
    if (snapshot != null) {
      live.refuse("--snapshot");
      answer(ClusterSnapshot.read(snapshot, policies));
      return 0;
    }
    LiveCluster.Seen seen = live.look();
    answer(seen.snapshot(policies));
    seen.warn(spec.commandLine().getErr());
    return 0;
  }

  private void answer(ClusterSnapshot read) {
    print(read, FitCheck.of(read, file.toString(), FileErrorText.text(file), namespace));
  }

  private UnaryOperator<Policies> policies() {
    if (preemption == null) {
      return UnaryOperator.identity();
    }
    PreemptionPolicy policy =
        PolicyLoader.plain(preemption)
            .orThrow(problems -> new ParameterException(spec.commandLine(), problems));
    return policies -> policies.with(policy);
  }

  private void print(ClusterSnapshot read, List<FitCheck.Answer> answers) {
    PrintWriter out = spec.commandLine().getOut();
    switch (output) {
      case TEXT -> FitReport.text(out, answers);
      case JSON -> out.println(FitReport.json(read.at(), answers).toPrettyString());
    }
    out.flush();
  }
}

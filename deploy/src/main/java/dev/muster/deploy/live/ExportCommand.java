package dev.muster.deploy.live;

import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.simulator.cli.ResultFolder;
import dev.muster.simulator.cli.terminal.ReadProgressLine;
import dev.muster.simulator.live.LiveExport;
import dev.muster.simulator.live.Pseudonymizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `muster simulate export`: writes a live cluster and its past in the simulator's formats.
@Command(
    name = "export",
    description = {
      "Writes the state, the nodes and the jobs of a live cluster for simulations. It changes nothing in the cluster.",
      "The files have only the inputs of the scheduler: no Secrets, environment, images or commands."
    },
    mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
  private static final int TOLD = 10;

  @Mixin private LiveCluster cluster = new LiveCluster();

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "The folder for snapshot.jsonl, cluster.jsonl and jobs.jsonl.")
  private Path out = Path.of("");

  @Option(
      names = "--journal",
      paramLabel = "FILE",
      description = "The journal of the live server, the source of past jobs.")
  private @Nullable Path journal;

  @Option(
      names = "--offline",
      description = "Reads only the journal and no API server. The state is that of its last line.")
  private boolean offline;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description =
          "Only gangs of this namespace; may be repeated. Of other pods, only the capacity that they use is written. Default: all.")
  private Set<String> namespaces = new TreeSet<>();

  @Option(
      names = "--hash-names",
      description =
          "Writes hashes instead of label values and of the names of namespaces, gangs, pods, nodes, queues and owners.")
  private boolean hashed;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException {
    if (offline) {
      cluster.refuse("--offline");
    }
    ResultFolder.prepare(spec, out, LiveExport.NAMES);
    Optional<Pseudonymizer> hash = hashed ? Optional.of(Pseudonymizer.random()) : Optional.empty();
    ReadProgressLine progress = new ReadProgressLine(System.err);
    LiveExport.Written written;
    try {
      written = new LiveExport(namespaces, hash).write(out, sources(progress));
    } finally {
      progress.end();
    }
    PrintWriter text = spec.commandLine().getOut();
    text.printf(
        "%s: %s (%,d nodes, %,d gangs at %s), %s (%,d GPUs), %s (%,d jobs since %s).%n",
        out,
        LiveExport.SNAPSHOT,
        written.snapshot().state().cluster().nodes().size(),
        written.snapshot().state().cluster().gangs().size(),
        written.snapshot().at(),
        LiveExport.CLUSTER,
        written.gpus(),
        LiveExport.JOBS,
        written.jobs().jobs().size(),
        written.jobs().start());
    written.jobs().notes().stream().skip(1).forEach(text::println);
    if (hashed) {
      text.println(
          "Names are hashed with a random key that is not stored: names of two exports cannot be matched.");
    }
    text.flush();
    return 0;
  }

  private LiveExport.Sources sources(ReadProgressLine progress) throws IOException {
    if (offline) {
      if (journal == null) {
        throw new ParameterException(spec.commandLine(), "--offline needs --journal FILE.");
      }
      ClusterSnapshot end = ClusterSnapshot.read(journal, UnaryOperator.identity(), progress::show);
      return new LiveExport.Sources(
          end.header(), end.facts(), List.of(), Optional.of(journal), progress::show);
    }
    LiveCluster.Seen seen = cluster.look();
    tell(seen.listing().problems());
    seen.warn(spec.commandLine().getErr());
    return new LiveExport.Sources(
        seen.header(),
        seen.facts(),
        seen.listing().past(),
        Optional.ofNullable(journal),
        progress::show);
  }

  private void tell(List<ObjectProblem> problems) {
    PrintWriter err = spec.commandLine().getErr();
    problems.stream()
        .limit(TOLD)
        .forEach(problem -> err.println(problem.object() + ": " + problem.message()));
    if (problems.size() > TOLD) {
      err.printf("%d more objects are invalid in whole or in part.%n", problems.size() - TOLD);
    }
    if (!problems.isEmpty()) {
      err.printf("muster: %d invalid objects or fields were left out.%n", problems.size());
    }
    err.flush();
  }
}

package dev.muster.deploy.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.muster.policy.journal.ClusterSnapshot;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `muster submit`: writes or creates a job for a number of GPUs, after saying when it would start.
///
/// The objects go to the standard output, and the answer of `fit` to the error stream. So the
/// output can be given to `kubectl apply -f -`.
@Command(
    name = "submit",
    description = {
      "Writes the objects of a job for a number of GPUs, or creates them with --apply. Its pods start together, or not at all.",
      "First it says if the job would start now, as simulate fit does. Nothing is written for a job that could never start."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success",
      "1:nothing written or created: as it is, the job never starts",
      "2:usage error",
      "3:runtime error, such as an object that the API server refuses"
    })
public final class SubmitCommand implements Callable<Integer> {
  private static final int NEVER = 1;

  /// The reason of a gang that names an unknown queue or topology level.
  private static final String UNKNOWN_NAME = "InvalidSpecification";

  /// Writes quotes only where YAML needs them, as people do.
  private static final ObjectMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .build();

  /// Formats of the objects.
  enum Output {
    YAML,
    JSON
  }

  @Mixin private LiveCluster live = new LiveCluster();
  @Mixin private JobOptions job = new JobOptions();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Namespace of the job. Default: that of the kubeconfig.")
  private String namespace = "";

  @Option(
      names = "--apply",
      description = "Creates the objects in the cluster. Default: they are only written.")
  private boolean applied;

  @Option(
      names = "--snapshot",
      paramLabel = "FILE",
      description = "Asks a snapshot if the job fits. Default: the live cluster.")
  private @Nullable Path snapshot;

  @Option(names = "--no-fit", description = "Does not ask if the job fits.")
  private boolean unasked;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "yaml",
      paramLabel = "yaml|json",
      description = "Format of the objects. Default: ${DEFAULT-VALUE}.")
  private Output output = Output.YAML;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException {
    List<ObjectNode> objects = JobObjects.of(job.request(namespace));
    if (!unasked && !fits(objects)) {
      return NEVER;
    }
    if (applied) {
      create(objects);
    } else {
      print(spec.commandLine().getOut(), objects);
    }
    return 0;
  }

  /// Says when the job would start; false if it never would. Without the right to list the cluster
  /// it says only that.
  private boolean fits(List<ObjectNode> objects) throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    List<FitCheck.Answer> answers;
    Optional<LiveCluster.Seen> seen = Optional.empty();
    if (snapshot != null) {
      live.refuse("--snapshot");
      answers =
          answers(ClusterSnapshot.read(snapshot, UnaryOperator.identity()), "default", objects);
    } else {
      ClusterSnapshot read;
      try {
        seen = Optional.of(live.look());
        read = seen.get().snapshot(UnaryOperator.identity());
      } catch (IllegalArgumentException | IllegalStateException unreadable) {
        err.println("It is not known if the job fits: " + unreadable.getMessage());
        err.flush();
        return true;
      }
      answers = answers(read, live.namespace(), objects);
    }
    FitReport.text(err, answers);
    seen.ifPresent(found -> found.warn(err));
    boolean never = answers.stream().anyMatch(this::isNever);
    if (never) {
      err.printf("Nothing was %s. --no-fit does not ask.%n", applied ? "created" : "written");
    }
    err.flush();
    return !never;
  }

  private List<FitCheck.Answer> answers(
      ClusterSnapshot read, String other, List<ObjectNode> objects) {
    return FitCheck.of(read, "the job", yaml(objects), namespace.isEmpty() ? other : namespace);
  }

  /// True if the job never starts. A queue or topology level may be unknown only because the
  /// configuration of the live server was not given.
  private boolean isNever(FitCheck.Answer answer) {
    if (answer.verdict() != FitCheck.Verdict.NEVER) {
      return false;
    }
    boolean doubted =
        snapshot == null && !live.isConfigured() && answer.reason().equals(UNKNOWN_NAME);
    if (doubted) {
      spec.commandLine()
          .getErr()
          .println("  The configuration of Muster was not read. Name it with --config.");
    }
    return !doubted;
  }

  private void create(List<ObjectNode> objects) {
    PrintWriter out = spec.commandLine().getOut();
    try (KubernetesClient client = live.client()) {
      String where = namespace.isEmpty() ? LiveCluster.namespace(client) : namespace;
      new ObjectCreation(client, where).all(objects);
      String names = objects.stream().map(ObjectCreation::shown).collect(Collectors.joining(" "));
      out.printf("Created in the namespace %s: %s%n", where, names);
      out.printf(
          "Why it waits: muster why %s -n %s%n", ObjectCreation.shown(objects.getLast()), where);
      out.printf("Delete it:    kubectl delete -n %s %s%n", where, names);
      out.flush();
    }
  }

  private void print(PrintWriter out, List<ObjectNode> objects) {
    switch (output) {
      case YAML -> out.print(yaml(objects));
      case JSON -> {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("apiVersion", "v1").put("kind", "List");
        ArrayNode items = list.putArray("items");
        objects.forEach(items::add);
        out.println(list.toPrettyString());
      }
    }
    out.flush();
  }

  private static String yaml(List<ObjectNode> objects) {
    StringJoiner text = new StringJoiner("---\n");
    for (ObjectNode object : objects) {
      try {
        text.add(YAML.writeValueAsString(object));
      } catch (JsonProcessingException impossible) {
        throw new UncheckedIOException(impossible);
      }
    }
    return text.toString();
  }
}

package dev.muster.deploy.live;

import dev.muster.core.decision.PlainText;
import dev.muster.policy.file.Durations;
import dev.muster.policy.yaml.ShownValue;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The options that say what a job needs.
final class JobOptions {
  private static final String ENV = "--env";
  private static final int WHOLE_NODE = 8;
  private static final int MOST_GPUS = 100_000;

  /// Leaves room for the numbers that controllers append to make names of pods.
  private static final int LONGEST_NAME = 50;

  private static final Pattern NAME = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern WORD = Pattern.compile("[!-~]+");
  private static final Pattern CLAIM = Pattern.compile("([a-z0-9]([-a-z0-9]*[a-z0-9])?):(/[^:]*)");

  @Option(
      names = "--gpus",
      required = true,
      paramLabel = "N",
      description = "Number of GPUs of the whole job.")
  private int gpus;

  @Option(
      names = "--per-node",
      paramLabel = "N",
      description = "Number of GPUs of each pod. Default: 8, or all if there are fewer.")
  private int perNode;

  @Option(
      names = "--image",
      required = true,
      paramLabel = "IMAGE",
      description = "Image of the pods.")
  private String image = "";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the job. Default: the program, such as torchrun.")
  private String name = "";

  @Option(
      names = "--kind",
      defaultValue = "job",
      paramLabel = "job|jobset|pytorchjob|mpijob",
      description = "Kind of the object that creates the pods. Default: ${DEFAULT-VALUE}.")
  private JobRequest.Kind kind = JobRequest.Kind.JOB;

  @Option(
      names = "--model",
      split = ",",
      paramLabel = "MODEL",
      description = "Acceptable GPU models, the preferred one first. Default: any.")
  private List<String> models = new ArrayList<>();

  @Option(
      names = "--topology-required",
      paramLabel = "LEVEL",
      description = "All pods in one domain of this level, such as rack, or the job waits.")
  private String required = "";

  @Option(
      names = "--topology-preferred",
      paramLabel = "LEVEL",
      description = "All pods in one domain of this level, if possible.")
  private String preferred = "";

  @Option(
      names = "--runtime",
      paramLabel = "DURATION",
      description = "Upper limit of the run time, such as 2h30m. The job may then start in a gap.")
  private String runtime = "";

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "Queue of the job. Default: that of the namespace.")
  private String queue = "";

  @Option(
      names = "--priority-class",
      paramLabel = "NAME",
      description = "PriorityClass of the pods.")
  private String priorityClass = "";

  @Option(names = "--cpu", paramLabel = "QUANTITY", description = "CPUs of each pod.")
  private String cpu = "";

  @Option(
      names = "--memory",
      paramLabel = "QUANTITY",
      description = "Memory of each pod, such as 512Gi.")
  private String memory = "";

  @Option(
      names = {"-e", ENV},
      paramLabel = "NAME=VALUE",
      description = "A variable of the containers; may be repeated.")
  private Map<String, String> environment = new LinkedHashMap<>();

  @Option(
      names = "--mount",
      paramLabel = "CLAIM:PATH",
      description = "Mounts a PersistentVolumeClaim; may be repeated.")
  private List<String> mounts = new ArrayList<>();

  @Option(
      names = "--gpu-resource",
      defaultValue = "nvidia.com/gpu",
      paramLabel = "NAME",
      description = "Resource name of the GPUs. Default: ${DEFAULT-VALUE}.")
  private String resource = "nvidia.com/gpu";

  @Option(
      names = "--scheduler",
      paramLabel = "NAME",
      description =
          "Scheduler of the pods, where Muster serves a second one. Default: default-scheduler.")
  private String scheduler = "";

  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "Program and arguments, after --. Default: those of the image.")
  private List<String> command = new ArrayList<>();

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  /// Returns the job that the options describe.
  ///
  /// @param namespace namespace of the job; empty for that of the kubeconfig
  /// @throws ParameterException naming the option, its value and the remedy, if one is invalid
  JobRequest request(String namespace) {
    checkCharacters();
    int each = perNode == 0 ? Math.min(gpus, WHOLE_NODE) : perNode;
    if (gpus < 1 || gpus > MOST_GPUS) {
      throw wrong("--gpus is %d. It must be between 1 and %,d.".formatted(gpus, MOST_GPUS));
    }
    if (each < 1 || gpus % each != 0) {
      throw wrong(
          "--per-node is %d, but --gpus %d is no multiple of it. All pods have the same number of GPUs."
              .formatted(each, gpus));
    }
    JobRequest.Template template =
        new JobRequest.Template(
            word("--image", image),
            List.copyOf(command),
            new TreeMap<>(environment),
            each,
            word("--gpu-resource", resource),
            requests(),
            claims(),
            present("priorityClassName", priorityClass, "schedulerName", scheduler));
    return new JobRequest(
        kind,
        jobName(),
        namespace,
        gpus / each,
        template,
        present(WellKnownNames.QUEUE, queue),
        annotations());
  }

  /// Refuses an option with a character that does not show itself, such as a line break. Variables
  /// may have any value, and the command any argument.
  private void checkCharacters() {
    for (OptionSpec option : spec.options()) {
      if (!option.longestName().equals(ENV)) {
        option.stringValues().forEach(value -> checkCharacters(option.longestName(), value));
      }
    }
    environment.keySet().forEach(variable -> checkCharacters(ENV, variable));
  }

  private void checkCharacters(String option, String value) {
    value
        .chars()
        .filter(character -> !PlainText.isPlain((char) character))
        .findFirst()
        .ifPresent(character -> {
          throw wrong(
              "%s is \"%s\". It must not have the character U+%04X."
                  .formatted(option, ShownValue.text(value), character));
        });
  }

  private String word(String option, String value) {
    if (!WORD.matcher(value).matches()) {
      throw wrong(
          "%s is \"%s\". It must be one word of ASCII characters."
              .formatted(option, ShownValue.text(value)));
    }
    return value;
  }

  /// Returns the name that was given, or that of the program.
  private String jobName() {
    if (name.isEmpty() && command.isEmpty()) {
      throw wrong("--name is missing: there is no command after -- to name the job after.");
    }
    String chosen = name.isEmpty() ? program(command.getFirst()) : name;
    if (chosen.length() > LONGEST_NAME || !NAME.matcher(chosen).matches()) {
      throw wrong(
          "--name is \"%s\". It must have lower-case letters, digits and -, begin with a letter, and have at most %d characters."
              .formatted(ShownValue.text(chosen), LONGEST_NAME));
    }
    return chosen;
  }

  private static String program(String word) {
    return word.substring(word.lastIndexOf('/') + 1).replaceAll("\\..*", "");
  }

  private SortedMap<String, String> annotations() {
    if (!runtime.isEmpty()) {
      try {
        Durations.parse(runtime);
      } catch (IllegalArgumentException invalid) {
        throw wrong("--runtime: " + invalid.getMessage());
      }
    }
    return present(
        WellKnownNames.GPU_MODELS,
        String.join(",", models),
        WellKnownNames.TOPOLOGY_REQUIRED,
        required,
        WellKnownNames.TOPOLOGY_PREFERRED,
        preferred,
        WellKnownNames.RUNTIME,
        runtime);
  }

  private SortedMap<String, String> requests() {
    SortedMap<String, String> requests = present("cpu", cpu, "memory", memory);
    requests.forEach((option, value) -> {
      try {
        Quantity.getAmountInBytes(Quantity.parse(value));
      } catch (IllegalArgumentException invalid) {
        throw wrong(
            "--%s is \"%s\". It must be a quantity, such as 16 or 512Gi.".formatted(option, value));
      }
    });
    return requests;
  }

  private SortedMap<String, String> claims() {
    SortedMap<String, String> claims = new TreeMap<>();
    for (String mount : mounts) {
      var parts = CLAIM.matcher(mount);
      if (!parts.matches()) {
        throw wrong(
            "--mount is \"%s\". It must be a claim and an absolute path, such as data:/data."
                .formatted(mount));
      }
      if (claims.put(parts.group(3), parts.group(1)) != null) {
        throw wrong("--mount names the path %s twice.".formatted(parts.group(3)));
      }
    }
    return claims;
  }

  /// Returns the pairs of key and value whose value is not empty.
  private static SortedMap<String, String> present(String... pairs) {
    SortedMap<String, String> present = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      if (!pairs[i + 1].isEmpty()) {
        present.put(pairs[i], pairs[i + 1]);
      }
    }
    return present;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

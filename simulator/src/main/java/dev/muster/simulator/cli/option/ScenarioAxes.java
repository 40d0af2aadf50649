package dev.muster.simulator.cli.option;

import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.NearestWord;
import dev.muster.simulator.experiment.ParameterSweep;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// Axes of a sweep that are options of a scenario, and the file that has all options and axes.
public final class ScenarioAxes {
  /// The value of an axis that stands for the absence of the option.
  static final String NONE = "none";

  /// The options that can be axes.
  static final List<String> NAMES =
      List.of(
          "checkpoint",
          "config",
          "latency",
          "maintenance",
          "prefer",
          "preemption",
          "repair",
          "restart",
          "slowdown",
          "speed");

  @Option(
      names = "--axis",
      paramLabel = "OPTION=VALUE",
      description =
          "Value of a further axis: any of checkpoint, config, latency, maintenance, prefer,"
              + " preemption, repair, restart, slowdown and speed, or none for its absence."
              + " Repeatable, for example --axis checkpoint=none --axis checkpoint=1h.")
  private List<String> axes = List.of();

  @SuppressWarnings("UnusedVariable") // Expansion acts on the option while the line is parsed
  @Option(
      names = "--experiment",
      paramLabel = "FILE",
      preprocessor = Expansion.class,
      description =
          "File of kind Experiment with the trace, the options and the axes, instead of these"
              + " options.")
  private @Nullable Path experiment;

  /// Replaces the option by the arguments that the file stands for.
  static final class Expansion implements IParameterPreprocessor {
    @Override
    @SuppressWarnings("JdkObsolete") // the type of picocli's interface
    public boolean preprocess(
        Stack<String> args, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (args.isEmpty()) {
        return false; // picocli tells that the file is missing
      }
      Path file;
      try {
        file = FileErrorText.path(args.pop());
      } catch (IllegalArgumentException wrong) {
        throw new ParameterException(command.commandLine(), "--experiment: " + wrong.getMessage());
      }
      Path folder = file.toAbsolutePath().getParent();
      Loaded<ExperimentFile> loaded = ExperimentFile.read(file);
      ExperimentFile experiment =
          loaded.orThrow(problems -> new ParameterException(command.commandLine(), problems));
      Path from = file.getParent() == null || folder == null ? Path.of("") : file.getParent();
      experiment.arguments(from).reversed().forEach(args::push);
      option.setValue(file);
      return true;
    }
  }

  /// Returns all combinations of the axes; one without values if there is no axis.
  ///
  /// @throws IllegalArgumentException if an axis is not an option that can be one, or there are
  ///   more combinations than a sweep can have runs
  public List<SequencedMap<String, String>> combinations() {
    SequencedMap<String, List<String>> byName = new LinkedHashMap<>();
    for (String text : axes) {
      int equals = text.indexOf('=');
      String name = text.substring(0, Math.max(0, equals));
      if (!NAMES.contains(name)) {
        String hint =
            NearestWord.to(name, NAMES).map(near -> " Did you mean %s?".formatted(near)).orElse("");
        throw new IllegalArgumentException(
            "--axis \"%s\" is not of the form OPTION=VALUE with one of %s.%s"
                .formatted(text, String.join(", ", NAMES), hint));
      }
      List<String> values = byName.computeIfAbsent(name, _ -> new ArrayList<>());
      String value = text.substring(equals + 1);
      if (values.contains(value)) {
        throw new IllegalArgumentException("--axis %s=%s is given twice.".formatted(name, value));
      }
      values.add(value);
    }
    List<SequencedMap<String, String>> all = List.of(new LinkedHashMap<>());
    for (var axis : byName.entrySet()) {
      ParameterSweep.checkRuns((long) all.size() * axis.getValue().size());
      all =
          all.stream()
              .flatMap(
                  each -> axis.getValue().stream().map(value -> with(each, axis.getKey(), value)))
              .toList();
    }
    return all;
  }

  private static SequencedMap<String, String> with(
      SequencedMap<String, String> values, String name, String value) {
    SequencedMap<String, String> more = new LinkedHashMap<>(values);
    more.put(name, value);
    return more;
  }

  /// Returns the arguments of a command without axes, with one value of each.
  ///
  /// @param given the parsed command
  /// @param values value of each axis
  /// @throws IllegalArgumentException if an axis is also given as an option
  public static List<String> arguments(ParseResult given, Map<String, String> values) {
    List<String> arguments = new ArrayList<>();
    for (OptionSpec option : given.matchedOptions()) {
      String name = option.longestName();
      if (values.containsKey(name.substring(2))) {
        throw new IllegalArgumentException(
            "%s and --axis %s exclude each other.".formatted(name, name.substring(2)));
      }
      if (!name.equals("--axis") && !name.equals("--experiment")) {
        option.originalStringValues().forEach(value -> arguments.add(name + "=" + value));
      }
    }
    values.forEach((name, value) -> {
      if (!value.equals(NONE)) {
        arguments.add("--" + name + "=" + value);
      }
    });
    return arguments;
  }
}

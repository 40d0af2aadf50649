package dev.muster.simulator.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.policy.file.FileKind;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import dev.muster.simulator.fleet.FleetNotation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A sweep as a file: its trace, its options and its axes.
///
/// Names of files in it are relative to its own folder.
///
/// @param trace the trace file
/// @param seeds as `--seeds`; null: the default
/// @param options values by name of an option of `sweep` in camel case; a list is joined by commas
/// @param axes values by name of an axis, each one or more
record ExperimentFile(
    String trace,
    @Nullable JsonNode seeds,
    Map<String, JsonNode> options,
    Map<String, List<JsonNode>> axes) {
  /// The options and axes whose values are files.
  private static final Set<String> FILES = Set.of("preemption", "config", "budgets");

  /// The axes that `sweep` has an option of its own for.
  private static final Set<String> OWN = Set.of("cluster", "policy", "scale", "failures");

  private static final Pattern UPPER = Pattern.compile("[A-Z]");

  private static final StrictReader<ExperimentFile> READER =
      new StrictReader<>(
          List.of(
              FileKind.of(
                  new FileKind.Header("simulator.muster.dev/v1", "Experiment"),
                  ExperimentFile.class,
                  "experiment-v1.schema.json")));

  ExperimentFile {
    options = options == null ? Map.of() : new LinkedHashMap<>(options);
    axes = new LinkedHashMap<>(axes);
  }

  /// Reads a file.
  static Loaded<ExperimentFile> read(Path file) {
    return READER.read(file);
  }

  /// Returns the arguments of `sweep` that mean the same.
  ///
  /// @param folder the folder of the file
  List<String> arguments(Path folder) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--trace=" + folder.resolve(trace));
    if (seeds != null) {
      arguments.add("--seeds=" + seeds.asText());
    }
    options.forEach((name, value) -> arguments.add(option(name) + "=" + text(name, value, folder)));
    axes.forEach((name, values) -> {
      for (JsonNode value : values) {
        String prefix = OWN.contains(name) ? option(name) : "--axis=" + option(name).substring(2);
        arguments.add(prefix + "=" + text(name, value, folder));
      }
    });
    return arguments;
  }

  private static String text(String name, JsonNode value, Path folder) {
    if (value.isArray()) {
      List<String> parts = new ArrayList<>();
      value.forEach(part -> parts.add(part.asText()));
      return String.join(",", parts);
    }
    String text = value.asText();
    boolean file =
        name.equals("cluster")
            ? FleetNotation.parse(text).isEmpty()
            : FILES.contains(name) && !text.equals(ScenarioAxes.NONE);
    return file ? folder.resolve(text).toString() : text;
  }

  /// Returns the option of a name in camel case: `--gpus-per-worker` of `gpusPerWorker`.
  static String option(String name) {
    return "--" + UPPER.matcher(name).replaceAll("-$0").toLowerCase(Locale.ROOT);
  }
}

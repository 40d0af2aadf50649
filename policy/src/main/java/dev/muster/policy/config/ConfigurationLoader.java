package dev.muster.policy.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.DecayedUsage;
import dev.muster.policy.file.Durations;
import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.file.FileKind;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Loads the server's configuration file.
public final class ConfigurationLoader {

  /// The `apiVersion` and `kind` of a configuration file.
  public static final FileKind.Header HEADER =
      new FileKind.Header("config.muster.dev/v1", "MusterConfiguration");

  private static final StrictReader<MusterConfiguration> READER =
      new StrictReader<>(
          List.of(
              FileKind.of(
                      HEADER,
                      MusterConfiguration.class,
                      "muster-configuration-v1.schema.json",
                      Map.of(
                          "muster-size", ByteSize::parse,
                          "muster-bandwidth", Bandwidth::megabitsPerSecond,
                          "muster-half-life", ConfigurationLoader::checkHalfLife,
                          "muster-path", FileErrorText::path,
                          "muster-endpoint", TracingFields::check))
                  .agreeing(ConfigurationLoader::faults)));

  private ConfigurationLoader() {}

  /// Reads the file at `path` and returns the configuration, or all problems found in it.
  public static Loaded<MusterConfiguration> load(Path path) {
    return READER.read(path);
  }

  /// Reads `content`. Problems name it `file`.
  public static Loaded<MusterConfiguration> load(String file, byte[] content) {
    return READER.read(file, content);
  }

  private static Map<JsonPointer, String> faults(JsonNode document) {
    Map<JsonPointer, String> faults = new LinkedHashMap<>(LinkEnd.faults(document));
    faults.putAll(QueueRules.faults(document));
    faults.putAll(OwnerRules.faults(document));
    faults.putAll(BudgetRules.faults(document));
    return faults;
  }

  private static void checkHalfLife(String text) {
    Duration halfLife = Durations.parsePositive(text);
    if (halfLife.compareTo(DecayedUsage.SHORTEST_HALF_LIFE) < 0
        || halfLife.compareTo(DecayedUsage.LONGEST_HALF_LIFE) > 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is out of range: a half-life is from 64s to 3650d.");
    }
  }

  static MusterConfiguration defaults() {
    String text = "apiVersion: " + HEADER.apiVersion() + "\nkind: " + HEADER.kind() + "\n";
    return load("defaults", text.getBytes(StandardCharsets.UTF_8))
        .orThrow(problems ->
            new IllegalStateException("The defaults in the schema are not valid:\n" + problems));
  }
}

package dev.muster.policy.config;

import dev.muster.policy.file.Loaded;
import dev.muster.policy.yaml.FileProblem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// Configuration files, and the values or problems the loader finds in them.
abstract class ConfigurationFiles {
  static final Path SAMPLE = Path.of("..", "deploy", "config", "muster.yaml");
  static final String HEADER = "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n";

  static Loaded<MusterConfiguration> load(String body) {
    return ConfigurationLoader.load(
        "muster.yaml", (HEADER + body).getBytes(StandardCharsets.UTF_8));
  }

  static MusterConfiguration value(Loaded<MusterConfiguration> loaded) {
    return switch (loaded) {
      case Loaded.Valid<MusterConfiguration>(MusterConfiguration value, String _) -> value;
      case Loaded.Invalid<MusterConfiguration> invalid ->
          throw new AssertionError(invalid.render());
    };
  }

  static String render(Loaded<MusterConfiguration> loaded) {
    return switch (loaded) {
      case Loaded.Valid<MusterConfiguration> valid -> throw new AssertionError(valid.toString());
      case Loaded.Invalid<MusterConfiguration>(List<FileProblem> problems) ->
          new Loaded.Invalid<>(problems).render();
    };
  }
}

package dev.muster.policy.preemption;

import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.policy.file.FileProblem;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.NearestWord;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The policies in Java that files may name.
public final class Plugins {
  /// None.
  public static final Plugins NONE = new Plugins(List.of());

  private final SortedMap<String, PreemptionPolicyProvider> providers = new TreeMap<>();

  /// Those given; of two with one name the first counts.
  public Plugins(List<PreemptionPolicyProvider> given) {
    given.forEach(provider -> providers.putIfAbsent(provider.name(), provider));
  }

  /// Those on the class path, and those in the jars of a folder.
  ///
  /// @throws IOException if the folder cannot be listed, or a jar is not what it claims
  public static Plugins in(Optional<Path> folder) throws IOException {
    ClassLoader own = Plugins.class.getClassLoader();
    try {
      ClassLoader all = folder.isEmpty() ? own : new URLClassLoader(jars(folder.get()), own);
      return new Plugins(
          ServiceLoader.load(PreemptionPolicyProvider.class, all).stream()
              .map(ServiceLoader.Provider::get)
              .toList());
    } catch (ServiceConfigurationError broken) {
      throw new IOException(
          "A policy plug-in cannot be loaded: %s. Maybe its jar is incomplete."
              .formatted(broken.getMessage()),
          broken);
    }
  }

  private static URL[] jars(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".jar"))
          .sorted()
          .map(Plugins::url)
          .toArray(URL[]::new);
    }
  }

  private static URL url(Path file) {
    try {
      return file.toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalArgumentException("The path %s is no URL.".formatted(file), impossible);
    }
  }

  /// The file's policy with the plug-in that it names.
  Loaded<PreemptionPolicy> plugged(FilePolicy file, PolicyFields.Plugin chosen, String place) {
    PreemptionPolicyProvider provider = providers.get(chosen.name());
    if (provider == null) {
      return invalid(place, "plugin.name", "\"%s\" %s".formatted(chosen.name(), unknown(chosen)));
    }
    try {
      PreemptionPolicy inner =
          Objects.requireNonNull(
              provider.policy(file, chosen.parameters()), "The plug-in gave no policy.");
      return new Loaded.Valid<>(
          new PluggedPolicy(chosen.name(), file, inner, inner.terms()), file.revision());
    } catch (RuntimeException refused) {
      return invalid(place, "plugin.parameters", String.valueOf(refused.getMessage()));
    }
  }

  private String unknown(PolicyFields.Plugin chosen) {
    String maybe =
        NearestWord.to(chosen.name(), providers.keySet())
            .map(near -> "Maybe you meant \"" + near + "\".")
            .orElse(
                providers.isEmpty()
                    ? "Maybe its jar is not in the folder of plug-ins."
                    : "Known: " + String.join(", ", providers.keySet()) + ".");
    return "is no plug-in that was found. " + maybe;
  }

  private static Loaded<PreemptionPolicy> invalid(String file, String field, String message) {
    return new Loaded.Invalid<>(List.of(new FileProblem(file, 0, 0, field, message)));
  }
}

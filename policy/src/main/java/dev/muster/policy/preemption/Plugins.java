package dev.muster.policy.preemption;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.FailureText;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.NearestWord;
import dev.muster.policy.yaml.FieldFault;
import dev.muster.policy.yaml.FileProblem;
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
  /// No plug-ins.
  public static final Plugins NONE = new Plugins(List.of());

  private static final String OTHER_JAR = "The jar may be incomplete, or built for a newer Java.";

  private static final JsonPointer NAME = JsonPointer.compile("/plugin/name");

  private final SortedMap<String, PreemptionPolicyProvider> providers = new TreeMap<>();

  /// Creates the set of the given providers; of two with one name the first counts.
  public Plugins(List<PreemptionPolicyProvider> given) {
    given.forEach(provider -> providers.putIfAbsent(provider.name(), provider));
  }

  /// Returns the plug-ins on the class path and in the jars of a folder.
  ///
  /// @throws IOException if the folder cannot be listed, or a plug-in cannot be loaded
  public static Plugins in(Optional<Path> folder) throws IOException {
    ClassLoader own = Plugins.class.getClassLoader();
    try {
      ClassLoader all = folder.isEmpty() ? own : new URLClassLoader(jars(folder.get()), own);
      return new Plugins(
          ServiceLoader.load(PreemptionPolicyProvider.class, all).stream()
              .map(ServiceLoader.Provider::get)
              .toList());
    } catch (ServiceConfigurationError | LinkageError broken) {
      throw new IOException(
          "A policy plug-in cannot be loaded: %s. %s".formatted(FailureText.of(broken), OTHER_JAR),
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
      throw new IllegalArgumentException("The path %s is not a URL.".formatted(file), impossible);
    }
  }

  /// Returns the fault of the plug-in's name in a document of any shape.
  public Optional<FieldFault> fault(JsonNode policy) {
    JsonNode name = policy.at(NAME);
    return !name.isTextual() || providers.containsKey(name.asText())
        ? Optional.empty()
        : Optional.of(
            new FieldFault(NAME, "\"%s\" %s".formatted(name.asText(), unknown(name.asText()))));
  }

  /// Returns the file's policy with the plug-in that it names, which [#fault] has checked.
  public Loaded<PreemptionPolicy> plugged(
      FilePolicy file, PolicyFields.Plugin chosen, String place) {
    PreemptionPolicyProvider provider = Objects.requireNonNull(providers.get(chosen.name()));
    try {
      PreemptionPolicy inner =
          Objects.requireNonNull(
              provider.policy(file, chosen.parameters()), "The plug-in returned no policy.");
      return new Loaded.Valid<>(
          new PluggedPolicy(chosen.name(), file, inner, inner.terms()), file.revision());
    } catch (RuntimeException refused) {
      String message = FailureText.sentence(refused);
      return new Loaded.Invalid<>(
          List.of(new FileProblem(place, 0, 0, "plugin.parameters", message)));
    } catch (LinkageError broken) {
      String message = "cannot be used: %s. %s".formatted(FailureText.of(broken), OTHER_JAR);
      return new Loaded.Invalid<>(List.of(new FileProblem(place, 0, 0, "plugin", message)));
    }
  }

  private String unknown(String name) {
    String maybe =
        NearestWord.to(name, providers.keySet())
            .map(near -> "Did you mean \"" + near + "\"?")
            .orElse(
                providers.isEmpty()
                    ? "No plug-in is installed."
                    : "Known: " + String.join(", ", providers.keySet()) + ".");
    return "is not an installed plug-in. " + maybe;
  }
}

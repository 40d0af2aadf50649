package dev.muster.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The files of `deploy/` as shipped, read as kubectl reads them.
public final class ShippedFiles {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final Pattern DOCUMENT_END = Pattern.compile("(?m)^---\\s*$");

  private ShippedFiles() {}

  /// The folder `deploy`, whether the working directory is the module or the whole project.
  public static Path folder() {
    Path here = Path.of("").toAbsolutePath();
    return Files.isDirectory(here.resolve("manifests")) ? here : here.resolve("deploy");
  }

  /// The text of a file below `deploy`.
  public static String text(String path) {
    try {
      return Files.readString(folder().resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A file with a single YAML or JSON document, as a tree.
  public static JsonNode tree(String path) {
    return treeOf(text(path));
  }

  private static JsonNode treeOf(String yaml) {
    return Objects.requireNonNull(YAML.unmarshal(yaml, JsonNode.class));
  }

  /// The non-empty documents of a YAML file, as trees.
  public static List<JsonNode> documents(String path) {
    return DOCUMENT_END
        .splitAsStream(text(path))
        .map(ShippedFiles::treeOf)
        .filter(JsonNode::isObject)
        .toList();
  }

  /// The objects of a YAML file.
  public static List<HasMetadata> objects(String path) {
    Object read = Objects.requireNonNull(YAML.unmarshal(text(path)), path);
    return switch (read) {
      case KubernetesResourceList<?> list -> List.copyOf(list.getItems());
      case HasMetadata one -> List.of(one);
      case List<?> many -> many.stream().map(HasMetadata.class::cast).toList();
      default -> throw new IllegalStateException(path + " holds " + read.getClass());
    };
  }

  /// Returns the output of `kubectl kustomize` for a folder. Generated ConfigMaps keep their plain
  /// names and images their placeholders.
  public static List<HasMetadata> built(String kustomization) {
    var objects = new ArrayList<HasMetadata>();
    var configs = new TreeMap<String, HasMetadata>();
    collect(kustomization, objects, configs);
    objects.addAll(configs.values());
    return objects;
  }

  /// Returns [#built] after the admin edited the addresses of the control plane.
  public static List<HasMetadata> edited(String kustomization) {
    return built(kustomization).stream().map(ShippedFiles::edited).toList();
  }

  private static HasMetadata edited(HasMetadata object) {
    return object instanceof NetworkPolicy policy
        ? policy
            .edit()
            .editSpec()
            .editIngress(0)
            .editFrom(0)
            .editIpBlock()
            .withCidr("192.0.2.0/24")
            .endIpBlock()
            .endFrom()
            .endIngress()
            .endSpec()
            .build()
        : object;
  }

  private static void collect(
      String place, List<HasMetadata> objects, Map<String, HasMetadata> configs) {
    JsonNode kustomization = tree(place + "/kustomization.yaml");
    for (JsonNode resource : kustomization.path("resources")) {
      String path = Path.of(place, resource.asText()).normalize().toString();
      if (Files.isDirectory(folder().resolve(path))) {
        collect(path, objects, configs);
      } else {
        objects.addAll(objects(path));
      }
    }
    for (JsonNode generator : kustomization.path("configMapGenerator")) {
      configs.put(generator.path("name").asText(), configMap(place, generator));
    }
  }

  private static HasMetadata configMap(String place, JsonNode generator) {
    var data = new TreeMap<String, String>();
    for (JsonNode file : generator.path("files")) {
      String name = file.asText();
      data.put(name.substring(name.lastIndexOf('/') + 1), text(place + "/" + name));
    }
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(generator.path("name").asText())
        .withNamespace(generator.path("namespace").asText())
        .endMetadata()
        .withData(data)
        .build();
  }

  /// The only object of a class and name among those given.
  public static <T extends HasMetadata> T only(
      List<HasMetadata> objects, Class<T> type, String name) {
    List<T> found =
        objects.stream()
            .filter(type::isInstance)
            .map(type::cast)
            .filter(object -> name.equals(object.getMetadata().getName()))
            .toList();
    if (found.size() != 1) {
      throw new IllegalStateException(
          "%d %s named %s".formatted(found.size(), type.getSimpleName(), name));
    }
    return found.getFirst();
  }

  /// The YAML files below a folder of `deploy`, as paths below `deploy`, sorted.
  public static List<String> yamlFiles(String folder) {
    try (Stream<Path> files = Files.walk(folder().resolve(folder))) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .map(file -> folder().relativize(file).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

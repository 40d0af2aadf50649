package dev.muster.server.kube.client;

import dev.muster.policy.yaml.ShownValue;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads fields of an object without a typed model. An absent field is empty. A field of the wrong
/// type is an error that names the field and its value.
public record JsonFields(GenericKubernetesResource object) {
  public Optional<String> text(String... path) {
    Object found = at(path);
    if (found == null || found.equals("")) {
      return Optional.empty();
    }
    if (found instanceof String text) {
      return Optional.of(text);
    }
    throw wrong(path, found, "a text");
  }

  public Optional<Integer> whole(String... path) {
    Object found = at(path);
    if (found == null) {
      return Optional.empty();
    }
    if (found instanceof Number number
        && number.longValue() == number.doubleValue()
        && number.intValue() == number.longValue()) {
      return Optional.of(number.intValue());
    }
    throw wrong(path, found, "a whole number");
  }

  public boolean has(String... path) {
    return at(path) != null;
  }

  private @Nullable Object at(String... path) {
    Object at = object.getAdditionalProperties();
    for (String name : path) {
      at = step(at, name);
    }
    return at;
  }

  private static @Nullable Object step(@Nullable Object at, String name) {
    if (at instanceof Map<?, ?> map) {
      return map.get(name);
    }
    boolean indexed = at instanceof List<?> && name.matches("\\d{1,4}");
    return at instanceof List<?> list && indexed && Integer.parseInt(name) < list.size()
        ? list.get(Integer.parseInt(name))
        : null;
  }

  private static IllegalArgumentException wrong(String[] path, Object found, String wanted) {
    return new IllegalArgumentException(
        "The field %s is (%s); it must be %s."
            .formatted(String.join(".", path), ShownValue.text(found.toString()), wanted));
  }
}

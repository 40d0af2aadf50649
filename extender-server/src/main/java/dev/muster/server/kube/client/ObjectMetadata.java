package dev.muster.server.kube.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// Reads labels and annotations of objects; absent maps are empty.
public final class ObjectMetadata {
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");

  private ObjectMetadata() {}

  public static Map<String, String> labels(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getLabels(), Map::of);
  }

  public static Map<String, String> annotations(HasMetadata object) {
    return Objects.requireNonNullElseGet(object.getMetadata().getAnnotations(), Map::of);
  }

  /// True if an object may have this name. Annotations and owner references can name others, also
  /// those that Muster gives to groups of pods without an object.
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }
}

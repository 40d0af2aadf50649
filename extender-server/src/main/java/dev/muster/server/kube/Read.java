package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Objects;
import java.util.function.Supplier;

/// What came of reading one object.
///
/// @param <T> what it was read into
public sealed interface Read<T> {
  /// The object as read.
  record Good<T>(T value) implements Read<T> {}

  /// The object makes no sense.
  record Bad<T>(Problem problem) implements Read<T> {}

  /// Reads an object; whatever is thrown on the way becomes a problem of this object alone.
  static <T> Read<T> of(HasMetadata object, Supplier<T> reader) {
    try {
      return new Good<>(reader.get());
    } catch (RuntimeException e) { // total on purpose: one object must not blind us to the others
      String message = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
      return new Bad<>(new Problem(ObjectRef.to(object), Problem.INVALID, message));
    }
  }
}

package dev.muster.server.kube.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.function.Supplier;

/// The result of reading one object.
///
/// @param <T> type of the value read
public sealed interface ReadResult<T> {
  /// The object was read.
  record Good<T>(T value) implements ReadResult<T> {}

  /// The object is invalid.
  record Bad<T>(ObjectProblem problem) implements ReadResult<T> {}

  /// Reads an object. Any exception becomes a problem of this object only.
  static <T> ReadResult<T> of(HasMetadata object, Supplier<T> reader) {
    try {
      return new Good<>(reader.get());
    } catch (
        RuntimeException
            e) { // all exceptions, so that one object cannot stop the reading of others
      return new Bad<>(ObjectProblem.of(object, e));
    }
  }
}

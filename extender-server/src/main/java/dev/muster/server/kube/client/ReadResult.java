package dev.muster.server.kube.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.DateTimeException;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The result of reading one object.
///
/// @param <T> type of the value read
public sealed interface ReadResult<T> {
  Logger log = LoggerFactory.getLogger(ReadResult.class);

  /// The object was read.
  record Good<T>(T value) implements ReadResult<T> {}

  /// The object is invalid.
  record Bad<T>(ObjectProblem problem) implements ReadResult<T> {}

  /// The problem of an object with an entry that lacks a required field. The API server lets none
  /// pass.
  String INCOMPLETE =
      "An entry lacks a field that Kubernetes requires, or has one of another type. kubectl apply --dry-run=server names it.";

  /// The problem of an object on which a codec fails.
  String FAULT = "Muster cannot read this object, by a fault of its own. Its log has the details.";

  /// Reads an object. Any exception becomes a problem of this object only.
  static <T> ReadResult<T> of(HasMetadata object, Supplier<T> reader) {
    try {
      return new Good<>(reader.get());
    } catch (IllegalArgumentException | DateTimeException mistake) {
      return bad(object, Objects.requireNonNullElse(mistake.getMessage(), INCOMPLETE));
    } catch (NullPointerException | ClassCastException missing) {
      log.debug("{} is incomplete.", ObjectRef.to(object), missing);
      return bad(object, INCOMPLETE);
    } catch (RuntimeException fault) { // one object must not stop the reading of others
      log.error("{} cannot be read.", ObjectRef.to(object), fault);
      return bad(object, FAULT);
    }
  }

  private static <T> ReadResult<T> bad(HasMetadata object, String message) {
    return new Bad<>(new ObjectProblem(ObjectRef.to(object), ObjectProblem.INVALID, message));
  }
}

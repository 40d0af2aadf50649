package dev.muster.server.kube.client;

import dev.muster.core.decision.MessageLimit;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A problem of one object; other objects are not affected.
///
/// @param object the object
/// @param reason a stable CamelCase token
/// @param message sentences with the values and what is allowed
/// @param scope group of objects with equal problems, of which only the first are reported; empty
///   for an object on its own
public record ObjectProblem(ObjectRef object, String reason, String message, String scope) {
  /// The message about an object whose reading failed by a fault of Muster. Its cause is logged.
  public static final String UNFORESEEN =
      "Muster cannot read this object: a field has a value that it does not expect. Its log has the details; please report them.";

  private static final Logger log = LoggerFactory.getLogger(ObjectProblem.class);
  private static final LogThrottle THROTTLE = new LogThrottle();

  public ObjectProblem {
    message = MessageLimit.cut(message);
  }

  public ObjectProblem(ObjectRef object, String reason, String message) {
    this(object, reason, message, "");
  }

  /// Returns the problem of an object whose reading failed.
  static ObjectProblem of(HasMetadata object, RuntimeException failed) {
    return new ObjectProblem(ObjectRef.to(object), INVALID, sentence(failed));
  }

  /// Returns the message of a refusal. Other exceptions have no words for the owner of an object,
  /// so they are logged.
  public static String sentence(RuntimeException failed) {
    String message = failed.getMessage();
    if (failed.getClass() == IllegalArgumentException.class && message != null) {
      return message;
    }
    if (THROTTLE.isNew(failed.toString())) {
      log.error("An object cannot be read, by a fault of Muster", failed);
    }
    return UNFORESEEN;
  }

  /// Returns the problem as one of a group of objects.
  public ObjectProblem among(String group) {
    return new ObjectProblem(object, reason, message, group);
  }

  /// The object has an invalid field, label or annotation.
  public static final String INVALID = "InvalidSpecification";
}

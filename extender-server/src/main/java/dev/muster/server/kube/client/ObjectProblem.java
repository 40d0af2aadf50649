package dev.muster.server.kube.client;

import dev.muster.core.decision.MessageLimit;

/// A problem of one object; other objects are not affected.
///
/// @param object the object
/// @param reason a stable CamelCase token
/// @param message sentences with the values and what is allowed
/// @param scope group of objects with equal problems, of which only the first are reported; empty
///   for an object on its own
public record ObjectProblem(ObjectRef object, String reason, String message, String scope) {
  public ObjectProblem {
    message = MessageLimit.cut(message);
  }

  public ObjectProblem(ObjectRef object, String reason, String message) {
    this(object, reason, message, "");
  }

  /// Returns the problem as one of a group of objects.
  public ObjectProblem among(String group) {
    return new ObjectProblem(object, reason, message, group);
  }

  /// The object has an invalid field, label or annotation.
  public static final String INVALID = "InvalidSpecification";
}

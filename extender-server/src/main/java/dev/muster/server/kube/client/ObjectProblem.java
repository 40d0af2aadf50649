package dev.muster.server.kube.client;

/// A problem of one object; other objects are not affected.
///
/// @param object the object
/// @param reason a stable CamelCase token
/// @param message one sentence with the value and a likely remedy
public record ObjectProblem(ObjectRef object, String reason, String message) {
  /// The object has an invalid field, label or annotation.
  public static final String INVALID = "InvalidSpecification";
}

package dev.muster.server.kube;

/// What is wrong with one object; nothing else suffers from it.
///
/// @param object the object
/// @param reason a stable CamelCase token
/// @param message one sentence with the value and a likely remedy
public record Problem(ObjectRef object, String reason, String message) {
  /// The object says something that cannot be meant.
  public static final String INVALID = "InvalidSpecification";
}

package dev.muster.policy.yaml;

import com.fasterxml.jackson.core.JsonPointer;

/// A broken rule about a field of a file, found by a rule that a schema cannot state.
///
/// @param field the field
/// @param offset position in its text, in code points from 0; -1 for the value as a whole
/// @param message the fault, the value, and a remedy if there is one
public record FieldFault(JsonPointer field, int offset, String message) {
  /// Creates a fault of a value as a whole.
  public FieldFault(JsonPointer field, String message) {
    this(field, -1, message);
  }
}

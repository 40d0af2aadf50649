package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonPointer;

/// What is wrong with a field of a file, as a rule finds it that a schema cannot state.
///
/// @param field the field
/// @param offset where in its text, in code points from 0; -1: the value as a whole
/// @param message what is wrong, the value, and what may help
public record Fault(JsonPointer field, int offset, String message) {
  /// A fault of a value as a whole.
  public Fault(JsonPointer field, String message) {
    this(field, -1, message);
  }
}

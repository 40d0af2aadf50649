package dev.muster.server.kube.codec;

import dev.muster.policy.yaml.ShownValue;
import dev.muster.server.kube.client.ObjectProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Collects all mistakes of one object, so that its owner corrects them at once.
///
/// Each is one sentence with the field, its value and what is allowed. Long values are cut, so the
/// text of an object with ten wrong annotations stays within about 2,000 characters.
final class Mistakes {
  private final List<String> found = new ArrayList<>();

  /// Reads a value. If it is invalid, its mistake is kept and the other value returned.
  <T> T reading(Supplier<T> value, T otherwise) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      note(ObjectProblem.sentence(e));
      return otherwise;
    }
  }

  /// Reads an optional value; empty if it is absent or invalid.
  <T> Optional<T> reading(Supplier<Optional<T>> value) {
    return reading(value, Optional.empty());
  }

  void note(String mistake) {
    if (!found.contains(mistake)) {
      found.add(mistake);
    }
  }

  /// Refuses the object if it has mistakes.
  ///
  /// @param further texts about keys that are ignored, told along with the mistakes
  /// @throws IllegalArgumentException with all mistakes
  void refuse(List<String> further) {
    if (!found.isEmpty()) {
      further.forEach(this::note);
      throw new IllegalArgumentException(String.join(" ", found));
    }
  }

  /// Returns the value as it is shown in messages: on one line, cut at 60 characters.
  static String shown(String value) {
    return ShownValue.text(value);
  }
}

package dev.muster.server.kube.budget;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The limits that one object exceeds, as sentences for its owner.
final class Excesses {
  private final List<String> sentences = new ArrayList<>();

  /// Notes a field with more entries or characters than the limit.
  ///
  /// @param what kind and name of the field, such as `field spec.tolerations`
  /// @param unit what is counted, in the plural
  void check(String what, long found, String unit, long limit) {
    if (found > limit) {
      sentences.add("The %s has %d %s; the limit is %d.".formatted(what, found, unit, limit));
    }
  }

  /// Notes a field of which only a part was read.
  void cut(String field, long limit) {
    sentences.add(
        "The field %s is too large; at most %d bytes of memory are used for it."
            .formatted(field, limit));
  }

  /// Notes a field that is beyond the limit; its size is not known.
  void over(String what, long limit, String unit) {
    sentences.add("The %s has more than %d %s.".formatted(what, limit, unit));
  }

  Optional<String> text() {
    return sentences.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", sentences));
  }
}

package dev.muster.server.kube.budget;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The limits that one object exceeds, as sentences for its owner.
final class Excesses {
  private final List<String> sentences = new ArrayList<>();
  private final List<String> cut = new ArrayList<>();

  /// Notes a field with more entries or characters than the limit. Nothing is counted in a field of
  /// which only a part was read.
  ///
  /// @param what kind and name of the field, such as `field spec.tolerations`
  /// @param unit what is counted, in the plural
  void check(String what, long found, String unit, long limit) {
    if (found > limit && !isCut(what)) {
      sentences.add("The %s has %d %s; the limit is %d.".formatted(what, found, unit, limit));
    }
  }

  private boolean isCut(String what) {
    return cut.stream()
        .map("field "::concat)
        .anyMatch(field -> what.equals(field) || what.startsWith(field + "."));
  }

  /// Notes a field of which only a part was read. This is to come before its other checks.
  void cut(String field, long limit) {
    cut.add(field);
    sentences.add(
        "The field %s is too large; at most %d bytes of memory are used for it."
            .formatted(field, limit));
  }

  /// Notes a field that is beyond the limit; its size is not known.
  void over(String what, long limit, String unit) {
    sentences.add("The %s has more than %d %s.".formatted(what, limit, unit));
  }

  /// Notes a whole sentence.
  void note(String sentence) {
    sentences.add(sentence);
  }

  Optional<String> text() {
    return sentences.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", sentences));
  }
}

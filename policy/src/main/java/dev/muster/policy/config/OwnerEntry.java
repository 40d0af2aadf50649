package dev.muster.policy.config;

import java.util.List;
import java.util.Optional;

/// A kind of owner as written in the file. Exactly one of the sizes is given.
///
/// @param apiVersion group and version of its API
/// @param kind its kind
/// @param plural its name in paths
/// @param groupLabel label or annotation by which a pod states the name of its owner
/// @param sizeField field of the owner with the number of its pods, such as `spec.replicas`
/// @param sizeLabel label or annotation of a pod with the number of pods
public record OwnerEntry(
    String apiVersion,
    String kind,
    String plural,
    String groupLabel,
    Optional<String> sizeField,
    Optional<String> sizeLabel) {
  private static final String FIELD = "sizeField=";
  private static final String LABEL = "sizeLabel=";
  private static final int WORDS = 5;

  /// Returns the entry as one line. No value has spaces or commas, as the schema of the file says.
  public String toText() {
    String size = sizeField.map(FIELD::concat).orElseGet(() -> LABEL + sizeLabel.orElse(""));
    return String.join(" ", apiVersion, kind, plural, groupLabel, size);
  }

  /// Returns the entry with this output of [#toText].
  ///
  /// @throws IllegalArgumentException if the text is none
  public static OwnerEntry ofText(String text) {
    List<String> words = List.of(text.split(" ", -1));
    String size = words.getLast();
    if (words.size() != WORDS || !(size.startsWith(FIELD) || size.startsWith(LABEL))) {
      throw new IllegalArgumentException(
          "The kind of owner \"%s\" is not readable. It looks like example.com/v1 Simulation simulations example.com/simulation sizeField=spec.replicas."
              .formatted(text));
    }
    return new OwnerEntry(
        words.get(0),
        words.get(1),
        words.get(2),
        words.get(3),
        after(FIELD, size),
        after(LABEL, size));
  }

  private static Optional<String> after(String start, String text) {
    return text.startsWith(start) ? Optional.of(text.substring(start.length())) : Optional.empty();
  }
}

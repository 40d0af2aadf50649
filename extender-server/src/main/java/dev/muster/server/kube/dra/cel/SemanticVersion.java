package dev.muster.server.kube.dra.cel;

import java.util.Comparator;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A semantic version. Build metadata (`+…`) is ignored.
///
/// Source: Semantic Versioning 2.0.0, in particular its order (section 11).
///
/// @param before pre-release identifiers, such as `rc.1`; empty for a release
public record SemanticVersion(long major, long minor, long patch, String before)
    implements Comparable<SemanticVersion> {
  private static final String NUMBER = "(0|[1-9]\\d{0,17})";
  private static final Pattern STRICT =
      Pattern.compile(
          NUMBER
              + "\\."
              + NUMBER
              + "\\."
              + NUMBER
              + "(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?");
  private static final Comparator<SemanticVersion> ORDER =
      Comparator.comparingLong(SemanticVersion::major)
          .thenComparingLong(SemanticVersion::minor)
          .thenComparingLong(SemanticVersion::patch)
          .thenComparing(SemanticVersion::before, SemanticVersion::early);

  /// Parses a version.
  ///
  /// @throws IllegalArgumentException if the text is no semantic version
  public static SemanticVersion of(String text) {
    Matcher version = STRICT.matcher(text);
    if (!version.matches()) {
      throw new IllegalArgumentException(
          "\"%s\" is no semantic version such as 1.2.3.".formatted(text));
    }
    return new SemanticVersion(
        Long.parseLong(version.group(1)),
        Long.parseLong(version.group(2)),
        Long.parseLong(version.group(3)),
        Objects.requireNonNullElse(version.group(4), ""));
  }

  /// True if the text is a semantic version.
  public static boolean isOne(String text) {
    return STRICT.matcher(text).matches();
  }

  /// Compares pre-releases. A release follows all its pre-releases, and a longer list of
  /// identifiers follows its own prefix.
  private static int early(String one, String other) {
    if (one.isEmpty() || other.isEmpty()) {
      return Boolean.compare(one.isEmpty(), other.isEmpty());
    }
    String[] some = one.split("\\.", -1);
    String[] others = other.split("\\.", -1);
    for (int i = 0; i < Math.min(some.length, others.length); i++) {
      int side = word(some[i], others[i]);
      if (side != 0) {
        return side;
      }
    }
    return Integer.compare(some.length, others.length);
  }

  /// Compares two identifiers. Numbers precede words and are compared by value.
  private static int word(String one, String other) {
    boolean number = one.matches("\\d{1,18}");
    boolean otherNumber = other.matches("\\d{1,18}");
    return number && otherNumber
        ? Long.compare(Long.parseLong(one), Long.parseLong(other))
        : number || otherNumber ? Boolean.compare(otherNumber, number) : one.compareTo(other);
  }

  @Override
  public int compareTo(SemanticVersion other) {
    return ORDER.compare(this, other);
  }
}

package dev.muster.core.gang;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One condition on a label of a node, or on its name if the key is [#NODE_NAME]. The operators are
/// those of Kubernetes node affinity.
///
/// @param key the label key
/// @param operator the comparison
/// @param values the operands, in the order written
public record Requirement(String key, Operator operator, List<String> values) {
  /// The key of conditions on the node's name (`matchFields: metadata.name`). It contains a space,
  /// so no valid label key equals it.
  public static final String NODE_NAME = "field metadata.name";

  private static final int SHOWN = 3;

  /// The operators of Kubernetes node selector requirements.
  public enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    DOES_NOT_EXIST,
    GT,
    LT
  }

  public Requirement {
    values = values.size() <= FEW ? List.copyOf(values) : Values.of(values);
  }

  /// The number of values that are compared one by one.
  private static final int FEW = 8;

  /// Many values, which are found in logarithmic time: each node of the cluster is looked for.
  private static final class Values extends AbstractList<String> {
    private final String[] written;
    private final String[] sorted;

    private Values(String[] written, String[] sorted) {
      this.written = written;
      this.sorted = sorted;
    }

    static List<String> of(List<String> values) {
      if (values instanceof Values) {
        return values;
      }
      String[] written = List.copyOf(values).toArray(String[]::new);
      String[] sorted = written.clone();
      Arrays.sort(sorted);
      return new Values(written, sorted);
    }

    @Override
    public String get(int index) {
      return written[index];
    }

    @Override
    public int size() {
      return written.length;
    }

    @Override
    public boolean contains(@Nullable Object value) {
      return value instanceof String text && Arrays.binarySearch(sorted, text) >= 0;
    }
  }

  /// True if a node with this value under the key satisfies the condition; null means no such
  /// label.
  public boolean holdsFor(@Nullable String value) {
    return switch (operator) {
      case IN -> value != null && values.contains(value);
      case NOT_IN -> value == null || !values.contains(value);
      case EXISTS -> value != null;
      case DOES_NOT_EXIST -> value == null;
      case GT -> value != null && compare(value) > 0;
      case LT -> value != null && compare(value) < 0;
    };
  }

  // Returns 0 when either side is no integer; like kube-scheduler, neither GT nor LT then holds.
  private int compare(String value) {
    OptionalLong label = integer(value);
    OptionalLong operand = integer(values.getFirst());
    return label.isPresent() && operand.isPresent()
        ? Long.compare(label.getAsLong(), operand.getAsLong())
        : 0;
  }

  // Not by Long.parseLong: its exception takes longer than all other conditions of a pod together,
  // and each node of the cluster is compared.
  private static OptionalLong integer(String text) {
    boolean negative = text.startsWith("-");
    int first = negative || text.startsWith("+") ? 1 : 0;
    long below = 0; // minus the number, as more numbers are negative
    for (int i = first; i < text.length(); i++) {
      int digit = Character.digit(text.charAt(i), 10);
      if (digit < 0 || below < (Long.MIN_VALUE + digit) / 10) {
        return OptionalLong.empty();
      }
      below = 10 * below - digit;
    }
    boolean isNone = text.length() == first || (!negative && below == Long.MIN_VALUE);
    return isNone ? OptionalLong.empty() : OptionalLong.of(negative ? below : -below);
  }

  /// Returns the condition as text for messages, with at most [#SHOWN] values.
  public String shown() {
    int more = values.size() - SHOWN;
    return more <= 0
        ? toString()
        : new Requirement(key, operator, values.subList(0, SHOWN)) + " and " + more + " more";
  }

  /// Returns the condition as text. Different conditions have different texts.
  @Override
  public String toString() {
    return switch (operator) {
      case IN ->
          values.size() == 1
              ? key + "=" + quoted(values.getFirst())
              : key + " in " + values.stream().map(Requirement::quoted).toList();
      case NOT_IN -> key + " not in " + values.stream().map(Requirement::quoted).toList();
      case EXISTS -> key;
      case DOES_NOT_EXIST -> "!" + key;
      case GT -> key + ">" + quoted(values.getFirst());
      case LT -> key + "<" + quoted(values.getFirst());
    };
  }

  // Waiting pods with equal texts get one answer, and old API servers take any text as a value. So
  // no value may look like several, or like another condition.
  private static String quoted(String value) {
    return value.chars().allMatch(Requirement::isPlain)
        ? value
        : "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /// True if the values of labels may have the character.
  private static boolean isPlain(int character) {
    return (character >= 'a' && character <= 'z')
        || (character >= 'A' && character <= 'Z')
        || (character >= '0' && character <= '9')
        || "-_.".indexOf(character) >= 0;
  }
}

package dev.muster.core.gang;

import java.util.List;
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
    values = List.copyOf(values);
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
    try {
      return Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  @Override
  public String toString() {
    return switch (operator) {
      case IN -> values.size() == 1 ? key + "=" + values.getFirst() : key + " in " + values;
      case NOT_IN -> key + " not in " + values;
      case EXISTS -> key;
      case DOES_NOT_EXIST -> "!" + key;
      case GT -> key + ">" + values.getFirst();
      case LT -> key + "<" + values.getFirst();
    };
  }
}

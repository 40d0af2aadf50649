package dev.muster.core.gang;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One condition on a node's label, or on its name where the key is [#NODE_NAME]; the operators are
/// those of Kubernetes node affinity.
///
/// @param key the label key
/// @param operator how to compare
/// @param values the operands, in the order written
public record Requirement(String key, Operator operator, List<String> values) {
  /// The key that stands for the node's name (`matchFields: metadata.name`); no label can have it,
  /// as its name would not be valid.
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

  /// Whether a node with this value under the key, null when it has none, satisfies the condition.
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

  // Zero, which satisfies neither GT nor LT, when either side is no integer: so does
  // kube-scheduler.
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

package dev.muster.core.topology;

import java.util.List;
import java.util.stream.Stream;

/// The identity of a topology domain: the label values from the outermost level down to its own. A
/// single value does not identify a domain: two blocks may both have a `rack-1`.
///
/// @param values outermost first; [#UNLABELLED] where the node lacks the label; empty for the whole
///   cluster
public record DomainPath(List<String> values) implements Comparable<DomainPath> {
  /// The value for a label that a node does not have.
  public static final String UNLABELLED = "";

  /// The whole cluster.
  public static final DomainPath ROOT = new DomainPath(List.of());

  public DomainPath {
    values = List.copyOf(values);
  }

  /// Returns the number of levels below the whole cluster; 0 for the whole cluster.
  public int depth() {
    return values.size();
  }

  /// Returns the enclosing domain at the given depth, which is at most the depth of this domain.
  public DomainPath upTo(int depth) {
    return depth == values.size() ? this : new DomainPath(values.subList(0, depth));
  }

  public DomainPath child(String value) {
    return new DomainPath(Stream.concat(values.stream(), Stream.of(value)).toList());
  }

  /// True if the domain's own label is known. Nodes without the label of a level form no real
  /// domain: they are not near each other.
  public boolean isLabelled() {
    return values.isEmpty() || !values.getLast().isEmpty();
  }

  /// True if the label of the given depth, at most the depth of this domain, is known.
  public boolean isLabelledAt(int depth) {
    return depth == 0 || !values.get(depth - 1).isEmpty();
  }

  /// Returns the narrowest domain that contains both.
  public DomainPath common(DomainPath other) {
    int depth = 0;
    while (depth < Math.min(depth(), other.depth())
        && values.get(depth).equals(other.values.get(depth))) {
      depth++;
    }
    return upTo(depth);
  }

  /// Orders level by level, outer domains before the domains inside them.
  @Override
  public int compareTo(DomainPath other) {
    for (int i = 0; i < Math.min(depth(), other.depth()); i++) {
      int side = values.get(i).compareTo(other.values.get(i));
      if (side != 0) {
        return side;
      }
    }
    return Integer.compare(depth(), other.depth());
  }

  /// Returns the values from outermost to innermost, joined by `/`; a missing label is empty.
  @Override
  public String toString() {
    return values.isEmpty() ? "the cluster" : String.join("/", values);
  }
}

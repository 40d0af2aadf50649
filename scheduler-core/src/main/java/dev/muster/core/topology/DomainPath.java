package dev.muster.core.topology;

import java.util.List;
import java.util.stream.Stream;

/// The identity of a topology domain: the values of the levels' labels from the outermost level
/// down to the domain's own. One value alone is no identity: two blocks may both have a `rack-1`.
///
/// @param values outermost first; [#UNLABELLED] where the node lacks the label; empty for the whole
///   cluster
public record DomainPath(List<String> values) implements Comparable<DomainPath> {
  /// Stands for a label that a node does not have.
  public static final String UNLABELLED = "";

  /// The whole cluster.
  public static final DomainPath ROOT = new DomainPath(List.of());

  public DomainPath {
    values = List.copyOf(values);
  }

  /// How many levels below the whole cluster the domain lies, 0 for the whole cluster.
  public int depth() {
    return values.size();
  }

  /// The domain of the given depth, at most this one's, in which this domain lies.
  public DomainPath upTo(int depth) {
    return depth == values.size() ? this : new DomainPath(values.subList(0, depth));
  }

  public DomainPath child(String value) {
    return new DomainPath(Stream.concat(values.stream(), Stream.of(value)).toList());
  }

  /// Whether the domain is a real one: its own label is known. The unlabelled nodes of a level are
  /// near nobody.
  public boolean isLabelled() {
    return values.isEmpty() || !values.getLast().isEmpty();
  }

  /// Whether the domain of the given depth around this one, or this one, is a real one.
  public boolean isLabelledAt(int depth) {
    return depth == 0 || !values.get(depth - 1).isEmpty();
  }

  /// The narrowest domain in which both lie.
  public DomainPath common(DomainPath other) {
    int depth = 0;
    while (depth < Math.min(depth(), other.depth())
        && values.get(depth).equals(other.values.get(depth))) {
      depth++;
    }
    return upTo(depth);
  }

  /// Ordered level by level, outer domains before those within them.
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

  /// The values from outermost to innermost, joined by `/`, an unlabelled one being empty.
  @Override
  public String toString() {
    return values.isEmpty() ? "the cluster" : String.join("/", values);
  }
}

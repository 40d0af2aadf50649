package dev.muster.server.http.extender;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// The nodes that kube-scheduler offers for a pod. Answers contain no other node: one node that is
/// unknown to the caller fails its whole scheduling cycle.
public sealed interface OfferedNodes permits OfferedNodes.Names, OfferedNodes.Objects {
  /// Returns the names, in the order offered.
  List<String> names();

  /// Returns the offer reduced to the node of that name; empty when it was not offered.
  OfferedNodes only(String node);

  /// Returns an empty offer of this kind.
  OfferedNodes none();

  /// Returns the first node offered.
  default Optional<String> first() {
    return names().stream().findFirst();
  }

  default boolean isEmpty() {
    return names().isEmpty();
  }

  /// Names alone: the caller is configured with `nodeCacheCapable: true`.
  ///
  /// @param names the names
  /// @param json bytes of their array, to be passed on unchanged; absent if an answer would spell
  ///   the array differently
  record Names(List<String> names, Optional<ByteBuffer> json) implements OfferedNodes {
    public Names(List<String> names) {
      this(names, Optional.empty());
    }

    /// Returns names with the bytes they were read from, if every character takes one byte.
    /// Escapes, spaces and characters outside of ASCII take more.
    static Names of(List<String> names, ByteBuffer json) {
      int shortest = 1; // the first bracket
      for (String name : names) {
        shortest += name.length() + 3; // two quotes, and a comma or the last bracket
      }
      boolean asAnswered = json.remaining() == shortest;
      return new Names(names, asAnswered ? Optional.of(json) : Optional.empty());
    }

    @Override
    public OfferedNodes only(String node) {
      return names.contains(node) ? new Names(List.of(node)) : none();
    }

    @Override
    public OfferedNodes none() {
      return new Names(List.of());
    }
  }

  /// Complete objects: the caller is configured with `nodeCacheCapable: false`.
  record Objects(List<NodeObject> nodes) implements OfferedNodes {
    @Override
    public List<String> names() {
      return nodes.stream().map(NodeObject::name).toList();
    }

    @Override
    public OfferedNodes only(String node) {
      return new Objects(nodes.stream().filter(n -> n.name().equals(node)).limit(1).toList());
    }

    @Override
    public OfferedNodes none() {
      return new Objects(List.of());
    }
  }

  /// A node object as it was sent.
  ///
  /// @param name its name
  /// @param json its bytes, to be passed on unchanged
  record NodeObject(String name, ByteBuffer json) {}
}

package dev.muster.server.http.extender;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// The nodes that kube-scheduler offers for a pod. Answers hold nothing else: every other node is
/// unknown to the caller, and one unknown node fails its whole scheduling cycle.
public sealed interface OfferedNodes permits OfferedNodes.Names, OfferedNodes.Objects {
  /// The names, in the order offered.
  List<String> names();

  /// The part of the offer that is the node of that name; nothing when it was not offered.
  OfferedNodes only(String node);

  /// The same kind of offer without nodes.
  OfferedNodes none();

  /// The first node offered.
  default Optional<String> first() {
    return names().stream().findFirst();
  }

  default boolean isEmpty() {
    return names().isEmpty();
  }

  /// Names alone: the caller is configured with `nodeCacheCapable: true`.
  record Names(List<String> names) implements OfferedNodes {
    @Override
    public OfferedNodes only(String node) {
      return names.contains(node) ? new Names(List.of(node)) : none();
    }

    @Override
    public OfferedNodes none() {
      return new Names(List.of());
    }
  }

  /// Whole objects: the caller is configured with `nodeCacheCapable: false`.
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

  /// A node object as it came.
  ///
  /// @param name its name
  /// @param json its bytes, to be passed on as they are
  record NodeObject(String name, ByteBuffer json) {}
}

package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.GpuSlice.Pool;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The slices of GPUs, by node and by pool.
///
/// Not safe for use by several threads.
final class SlicePools {
  private final Map<String, GpuSlice> slices = new HashMap<>();
  private final Map<String, Set<String>> namesOfNode = new HashMap<>();
  private final Map<Pool, Set<String>> namesOfPool = new HashMap<>();

  Optional<GpuSlice> get(String name) {
    return Optional.ofNullable(slices.get(name));
  }

  Collection<GpuSlice> all() {
    return slices.values();
  }

  /// Records the current state of a slice; empty if it is deleted.
  ///
  /// @return nodes whose GPUs changed: the node of the slice, and all nodes of its pool if the pool
  ///   became complete or incomplete
  Set<String> put(String name, Optional<GpuSlice> slice) {
    Optional<GpuSlice> before = get(name);
    Set<Pool> pools = each(before, slice).map(GpuSlice::pool).collect(Collectors.toSet());
    Set<String> offered = offering(pools);
    before.ifPresent(old -> {
      slices.remove(name);
      without(namesOfNode, old.node(), name);
      without(namesOfPool, old.pool(), name);
    });
    slice.ifPresent(found -> {
      slices.put(name, found);
      namesOfNode.computeIfAbsent(found.node(), _ -> new TreeSet<>()).add(name);
      namesOfPool.computeIfAbsent(found.pool(), _ -> new TreeSet<>()).add(name);
    });
    Set<String> offer = offering(pools);
    Set<String> nodes = new TreeSet<>();
    if (!offer.equals(offered)) {
      nodes.addAll(offered);
      nodes.addAll(offer);
    }
    each(before, slice).map(GpuSlice::node).forEach(nodes::add);
    nodes.remove(GpuSlice.NO_NODE);
    return nodes;
  }

  private static Stream<GpuSlice> each(Optional<GpuSlice> one, Optional<GpuSlice> other) {
    return Stream.concat(one.stream(), other.stream());
  }

  private static <K> void without(Map<K, Set<String>> index, K key, String name) {
    Set<String> names = index.getOrDefault(key, new TreeSet<>());
    names.remove(name);
    if (names.isEmpty()) {
      index.remove(key);
    }
  }

  private Set<String> offering(Set<Pool> pools) {
    return pools.stream()
        .flatMap(pool -> current(pool).stream())
        .map(GpuSlice::node)
        .collect(Collectors.toSet());
  }

  /// Returns all slices of the pool.
  List<GpuSlice> of(Pool pool) {
    return namesOfPool.getOrDefault(pool, Set.of()).stream().map(slices::get).toList();
  }

  /// Returns the valid slices of the node. Incomplete pools are left out, as in kube-scheduler.
  List<GpuSlice> current(String node) {
    return namesOfNode.getOrDefault(node, Set.of()).stream()
        .map(slices::get)
        .filter(slice -> current(slice.pool()).contains(slice))
        .toList();
  }

  private List<GpuSlice> current(Pool pool) {
    List<GpuSlice> all = of(pool);
    long newest = all.stream().mapToLong(GpuSlice::generation).max().orElse(0);
    List<GpuSlice> there = all.stream().filter(slice -> slice.generation() == newest).toList();
    return there.stream().filter(slice -> there.size() >= slice.slices()).toList();
  }
}

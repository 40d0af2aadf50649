package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.GpuSlice.Pool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The slices of GPUs, by node and by pool.
///
/// Not safe for use by several threads.
final class SlicePools {
  /// The present state of a slice.
  ///
  /// @param number larger than those of all earlier states, also of other slices
  record Recorded(long number, String name, GpuSlice slice) {}

  private final Map<String, Recorded> slices = new HashMap<>();
  private final TreeMap<Long, Recorded> byNumber = new TreeMap<>();
  private final Map<String, Set<String>> namesOfNode = new HashMap<>();
  private final Map<Pool, Set<String>> namesOfPool = new HashMap<>();
  private long numbers;

  Optional<GpuSlice> get(String name) {
    return Optional.ofNullable(slices.get(name)).map(Recorded::slice);
  }

  /// Returns the first state with a larger number; absent if there is none.
  Optional<Recorded> after(long number) {
    return Optional.ofNullable(byNumber.higherEntry(number)).map(Map.Entry::getValue);
  }

  boolean isCurrent(Recorded slice) {
    return byNumber.containsKey(slice.number());
  }

  /// Records the current state of a slice; empty if it is deleted.
  ///
  /// @return nodes whose GPUs changed: the node of the slice, and all nodes of its pool if the pool
  ///   became complete or incomplete
  Set<String> put(String name, Optional<GpuSlice> slice) {
    Optional<GpuSlice> before = get(name);
    Set<Pool> pools = each(before, slice).map(GpuSlice::pool).collect(Collectors.toSet());
    Set<String> offered = offering(pools);
    Optional.ofNullable(slices.remove(name)).ifPresent(old -> byNumber.remove(old.number()));
    before.ifPresent(old -> {
      without(namesOfNode, old.node(), name);
      without(namesOfPool, old.pool(), name);
    });
    slice.ifPresent(found -> {
      Recorded recorded = new Recorded(++numbers, name, found);
      slices.put(name, recorded);
      byNumber.put(recorded.number(), recorded);
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
    return known(names(pool)).toList();
  }

  /// Returns the names of all slices of the pool.
  Set<String> names(Pool pool) {
    return namesOfPool.getOrDefault(pool, Set.of());
  }

  private Stream<GpuSlice> known(Set<String> names) {
    return names.stream().map(slices::get).map(Recorded::slice);
  }

  /// Returns the valid slices of the node. Incomplete pools are left out, as in kube-scheduler.
  List<GpuSlice> current(String node) {
    return known(namesOfNode.getOrDefault(node, Set.of()))
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

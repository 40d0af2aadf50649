package dev.muster.server.kube;

import dev.muster.server.kube.GpuSlice.DeviceId;
import dev.muster.server.kube.GpuSlice.Gpu;
import dev.muster.server.kube.cel.DeviceExpression;
import dev.muster.server.kube.cel.DeviceExpressions;
import dev.muster.server.kube.cel.DeviceTraits;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The selections that claims ask by, and which GPUs each takes.
///
/// Each counts as a resource of its own beside the one of all GPUs: a node has as much of it as it
/// has GPUs that are taken, a pod that asks by it asks for as many, and a pod that has such GPUs,
/// however it asked, has as many. So the engine, which knows nothing of expressions, sends no pod
/// where too few of the GPUs that it may have are left.
///
/// Not safe for use by several threads.
final class Selections {
  /// So many are told apart; each of them costs an evaluation for every GPU of the cluster.
  static final int MOST = 100;

  /// After so many that found no room it is looked again whether some are not asked by any more.
  private static final int PATIENCE = 1_000;

  private static final Logger log = LoggerFactory.getLogger(Selections.class);

  private final DeviceExpressions language = new DeviceExpressions();
  private final GpuClasses classes;
  private final Map<String, Selection> asked = new TreeMap<>();
  private final IdentityHashMap<GpuSlice, Map<String, Set<DeviceId>>> taken =
      new IdentityHashMap<>();
  private int refused;

  Selections(GpuClasses classes) {
    this.classes = classes;
  }

  /// Whether the selection is counted; what is not counted is left to kube-scheduler alone.
  boolean count(Selection selection) {
    return selection.equals(asked.get(selection.name()));
  }

  /// Counts the selection from now on, if all its ways are understood.
  ///
  /// @param slices all there are
  /// @param inUse the names of those that are still asked by, in case that there are too many
  /// @return the nodes that have GPUs of which something else is to be said now
  Set<String> add(Selection selection, Collection<GpuSlice> slices, Supplier<Set<String>> inUse) {
    if (count(selection) || selection.ways().stream().anyMatch(way -> known(way).isEmpty())) {
      return Set.of();
    }
    String name = selection.name();
    Set<String> nodes = nodes(name, slices);
    if (isFull(name) && refused % PATIENCE == 0) {
      nodes.addAll(prune(slices, inUse.get()));
    }
    if (isFull(name)) {
      refuse(name);
      return nodes;
    }
    forget(name);
    asked.put(name, selection);
    nodes.addAll(nodes(name, slices));
    return nodes;
  }

  private boolean isFull(String name) {
    return asked.size() >= MOST && !asked.containsKey(name);
  }

  private Set<String> prune(Collection<GpuSlice> slices, Set<String> inUse) {
    Set<String> nodes = new TreeSet<>();
    for (String old : List.copyOf(asked.keySet())) {
      if (!inUse.contains(old)) {
        nodes.addAll(nodes(old, slices));
        forget(old);
        asked.remove(old);
      }
    }
    refused = asked.size() < MOST ? 0 : refused;
    return nodes;
  }

  private void forget(String name) {
    taken.values().forEach(byName -> byName.remove(name));
  }

  private void refuse(String name) {
    if (refused == 0) {
      log.warn(
          "Claims select GPUs in more than {} ways; ({}) and further ones are left to kube-scheduler alone. Maybe make a DeviceClass of what many ask for.",
          MOST,
          name);
    }
    refused++;
  }

  /// The slice does not stand like this any more.
  void forget(GpuSlice slice) {
    taken.remove(slice);
  }

  private Set<String> nodes(String name, Collection<GpuSlice> slices) {
    return slices.stream()
        .filter(slice -> !taken(name, slice).isEmpty())
        .map(GpuSlice::node)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// The names of the selections that take the GPU of one of the slices of its pool.
  Set<String> taking(DeviceId gpu, Collection<GpuSlice> pool) {
    return asked.keySet().stream()
        .filter(name -> pool.stream().anyMatch(slice -> taken(name, slice).contains(gpu)))
        .collect(Collectors.toSet());
  }

  private Set<DeviceId> taken(String name, GpuSlice slice) {
    return Optional.ofNullable(asked.get(name))
        .map(selection ->
            taken
                .computeIfAbsent(slice, _ -> new HashMap<>())
                .computeIfAbsent(name, _ -> taken(selection, slice)))
        .orElseGet(Set::of);
  }

  private Set<DeviceId> taken(Selection selection, GpuSlice slice) {
    boolean offered =
        classes.acceleratorOf(slice.pool().driver()).equals(Optional.of(selection.accelerator()));
    List<List<DeviceExpression>> ways = selection.ways().stream().map(this::known).toList();
    return !offered
        ? Set.of()
        : slice.gpus().stream()
            .filter(gpu -> isTaken(gpu.traits(), ways))
            .map(Gpu::id)
            .collect(Collectors.toSet());
  }

  private static boolean isTaken(DeviceTraits gpu, List<List<DeviceExpression>> ways) {
    return ways.stream().anyMatch(way -> way.stream().allMatch(each -> each.mayTake(gpu)));
  }

  private List<DeviceExpression> known(Selection.Way way) {
    return way.expressions().stream().map(language::compile).flatMap(Optional::stream).toList();
  }
}

package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.GpuSlice.DeviceId;
import dev.muster.server.kube.dra.GpuSlice.Gpu;
import dev.muster.server.kube.dra.cel.DeviceExpression;
import dev.muster.server.kube.dra.cel.DeviceExpressionCompiler;
import dev.muster.server.kube.dra.cel.DeviceTraits;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The selections of claims, and the GPUs that match each of them.
///
/// Each selection is counted as a resource in addition to the resource of all GPUs:
/// - The capacity of a node is its number of matching GPUs.
/// - The demand of a pod is the number of GPUs that it requests by the selection.
/// - The usage of a pod is its number of matching GPUs, however it requested them.
///
/// So the engine, which does not know expressions, sends no pod to a node with too few matching
/// GPUs.
///
/// Not safe for use by several threads.
final class DeviceSelections {
  /// Maximum number of counted selections; each is evaluated for every GPU of the cluster.
  static final int MOST = 100;

  /// Maximum number of selections that claims of one namespace add.
  static final int OF_NAMESPACE = 20;

  /// Number of selections that are remembered as too slow.
  private static final int REMEMBERED = 1_000;

  private static final Logger log = LoggerFactory.getLogger(DeviceSelections.class);

  private final DeviceExpressionCompiler language = new DeviceExpressionCompiler();
  private final GpuDeviceClasses classes;
  private final Map<String, DeviceSelection> asked = new TreeMap<>();
  private final Map<String, String> adders = new HashMap<>();
  private final IdentityHashMap<GpuSlice, Map<String, Set<DeviceId>>> taken =
      new IdentityHashMap<>();
  private final LinkedHashSet<DeviceSelection> slow = new LinkedHashSet<>();
  private boolean refused;
  private int added;

  DeviceSelections(GpuDeviceClasses classes) {
    this.classes = classes;
  }

  /// True if the selection is counted; others are left to kube-scheduler.
  boolean count(DeviceSelection selection) {
    return selection.equals(asked.get(selection.name()));
  }

  /// Returns the number of selections that were added so far.
  int added() {
    return added;
  }

  /// True if selections were refused since the last [#prune].
  boolean refused() {
    return refused;
  }

  /// Starts counting the selection if all of its expressions are understood. It is refused if there
  /// are too many, in all or of its namespace, or if the namespace has no time left.
  ///
  /// @param slices all slices
  /// @param time time that is left for selections of the claim
  /// @return nodes whose counts changed
  Set<String> add(
      DeviceSelection selection,
      String namespace,
      Collection<GpuSlice> slices,
      SelectionTime time) {
    if (count(selection) || slow.contains(selection)) {
      return Set.of();
    }
    String name = selection.name();
    if (isFull(name, namespace) || time.isNone()) {
      refuse(name);
      return Set.of();
    }
    if (selection.ways().stream().anyMatch(way -> known(way).isEmpty())) {
      return Set.of();
    }
    Set<String> nodes = nodes(name, slices);
    forget(name);
    asked.put(name, selection);
    adders.putIfAbsent(name, namespace);
    long before = time.used();
    for (GpuSlice slice : slices) {
      if (time.isOver()) {
        drop(name);
        leave(selection, time.used() - before);
        return nodes;
      }
      if (!taken(name, slice).isEmpty()) {
        nodes.add(slice.node());
      }
    }
    added++;
    return nodes;
  }

  /// Leaves a selection to kube-scheduler whose evaluation did not end in the time of its claim. It
  /// is counted later, unless it took the whole time of a claim by itself.
  private void leave(DeviceSelection selection, long nanos) {
    String name = selection.name();
    if (nanos <= SelectionTime.LIMIT_NANOS) {
      refuse(name);
      return;
    }
    if (slow.size() == REMEMBERED) {
      slow.remove(slow.getFirst());
    }
    slow.add(selection);
    log.warn(
        "The selection ({}) takes too long to evaluate for all GPUs and is left to kube-scheduler.",
        name);
  }

  private boolean isFull(String name, String namespace) {
    return !asked.containsKey(name)
        && (asked.size() >= MOST
            || Collections.frequency(adders.values(), namespace) >= OF_NAMESPACE);
  }

  /// Drops the selections that no claim uses. One that only claims of other namespaces use belongs
  /// to one of these from now on.
  ///
  /// @param users returns the namespaces whose claims use a selection, by its name
  /// @return nodes whose counts changed
  Set<String> prune(Collection<GpuSlice> slices, Function<String, SortedSet<String>> users) {
    Set<String> nodes = new TreeSet<>();
    for (String old : List.copyOf(asked.keySet())) {
      SortedSet<String> namespaces = users.apply(old);
      if (namespaces.isEmpty()) {
        nodes.addAll(nodes(old, slices));
        drop(old);
      } else if (!namespaces.contains(adders.get(old))) {
        adders.put(old, namespaces.first());
      }
    }
    refused = false;
    return nodes;
  }

  private void drop(String name) {
    forget(name);
    asked.remove(name);
    adders.remove(name);
  }

  private void forget(String name) {
    taken.values().forEach(byName -> byName.remove(name));
  }

  private void refuse(String name) {
    if (!refused) {
      log.warn(
          "Claims use more than {} different selections of GPUs, those of a namespace more than {}, or new ones take too long; ({}) and further ones are left to kube-scheduler. Define a DeviceClass for common selections.",
          MOST,
          OF_NAMESPACE,
          name);
    }
    refused = true;
  }

  /// Drops the results of a slice that changed.
  void forget(GpuSlice slice) {
    taken.remove(slice);
  }

  /// Returns the nodes that count GPUs under this name. Evaluates nothing: a slice that was not
  /// evaluated is new, and its node is to be read in any case.
  private Set<String> nodes(String name, Collection<GpuSlice> slices) {
    return slices.stream()
        .filter(
            slice -> !taken.getOrDefault(slice, Map.of()).getOrDefault(name, Set.of()).isEmpty())
        .map(GpuSlice::node)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Returns the names of the selections that match the GPU, which is in a slice of the pool.
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

  private Set<DeviceId> taken(DeviceSelection selection, GpuSlice slice) {
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

  private List<DeviceExpression> known(DeviceSelection.Way way) {
    return way.expressions().stream().map(language::compile).flatMap(Optional::stream).toList();
  }
}

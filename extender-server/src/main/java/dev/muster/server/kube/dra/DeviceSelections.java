package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.CountedSelection.Evaluation;
import dev.muster.server.kube.dra.GpuSlice.DeviceId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
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
/// GPUs. Nothing is evaluated here: [#next] returns what a caller is to evaluate. The GPUs of a new
/// slice match after that.
///
/// Not safe for use by several threads.
final class DeviceSelections {
  /// Maximum number of counted selections; each is evaluated for every GPU of the cluster.
  static final int MOST = 100;

  /// Maximum number of selections that claims of one namespace add.
  static final int OF_NAMESPACE = 20;

  /// Number of selections that are remembered as unsupported.
  private static final int REMEMBERED = 1_000;

  private static final Logger log = LoggerFactory.getLogger(DeviceSelections.class);

  private final GpuDeviceClasses classes;
  private final SlicePools pools;
  private final Map<String, CountedSelection> asked = new TreeMap<>();

  /// Selections that are not understood, or take too long. They are left to kube-scheduler.
  private final LinkedHashSet<DeviceSelection> unsupported = new LinkedHashSet<>();

  /// CPU time for the selections of each namespace since all were last evaluated.
  private final Map<String, Long> used = new HashMap<>();

  private boolean refused;
  private int changes;

  DeviceSelections(GpuDeviceClasses classes, SlicePools pools) {
    this.classes = classes;
    this.pools = pools;
  }

  /// True if the selection is counted; others are left to kube-scheduler.
  boolean count(DeviceSelection selection) {
    CountedSelection counted = asked.get(selection.name());
    return counted != null && counted.selection().equals(selection);
  }

  /// Returns why the selection does not count for all GPUs; empty if it does.
  Optional<String> problem(DeviceSelection selection) {
    if (unsupported.contains(selection)) {
      return Optional.of("Muster does not know it, or its evaluation takes too long");
    }
    if (!count(selection)) {
      return Optional.of("too many different selections are in use");
    }
    return Optional.ofNullable(asked.get(selection.name()))
        .filter(counted -> counted.isBehind(pools))
        .map(_ -> "it is not evaluated for all GPUs so far, so nodes show too few of them");
  }

  /// Returns how many times a selection was added, or was left to kube-scheduler after that.
  int changes() {
    return changes;
  }

  /// True if selections were refused since the last [#prune].
  boolean refused() {
    return refused;
  }

  /// Starts counting the selection. It is refused if there are too many, in all or of its
  /// namespace. No count of a node changes before the selection is evaluated.
  void add(DeviceSelection selection, String namespace) {
    if (count(selection) || unsupported.contains(selection)) {
      return;
    }
    String name = selection.name();
    CountedSelection former = asked.get(name);
    if (former == null && isFull(namespace)) {
      refuse(name);
      return;
    }
    asked.put(
        name,
        former == null ? new CountedSelection(selection, namespace) : former.replacedBy(selection));
    changes++;
  }

  private boolean isFull(String namespace) {
    return asked.size() >= MOST
        || asked.values().stream().filter(each -> each.namespace().equals(namespace)).count()
            >= OF_NAMESPACE;
  }

  private void refuse(String name) {
    if (!refused) {
      log.warn(
          "Claims use more than {} different selections of GPUs, or those of a namespace more than {}; ({}) and further ones are left to kube-scheduler. Define a DeviceClass for common selections.",
          MOST,
          OF_NAMESPACE,
          name);
    }
    refused = true;
  }

  /// Drops the selections that no claim uses. One that only claims of other namespaces use belongs
  /// to one of these from now on.
  ///
  /// @param users returns the namespaces whose claims use a selection, by its name
  /// @return nodes whose counts changed
  Set<String> prune(Function<String, SortedSet<String>> users) {
    Set<String> nodes = new TreeSet<>();
    for (CountedSelection old : List.copyOf(asked.values())) {
      String name = old.selection().name();
      SortedSet<String> namespaces = users.apply(name);
      if (namespaces.isEmpty()) {
        nodes.addAll(old.nodes());
        asked.remove(name);
      } else if (!namespaces.contains(old.namespace())) {
        old.moveTo(namespaces.first());
      }
    }
    refused = false;
    return nodes;
  }

  // ---- Evaluation ----

  /// Returns the evaluation that begins the next turn; absent if all GPUs are evaluated. Namespaces
  /// get equal time, and so do the selections of each. So costly selections do not delay usual ones
  /// much.
  Optional<Evaluation> next() {
    Optional<CountedSelection> next =
        asked.values().stream()
            .filter(each -> each.isBehind(pools))
            .min(
                Comparator.<CountedSelection>comparingLong(
                        each -> used.getOrDefault(each.namespace(), 0L))
                    .thenComparingLong(CountedSelection::nanos));
    if (next.isEmpty()) {
      used.clear();
    }
    return next.flatMap(each -> each.next(pools, classes));
  }

  /// Returns the next evaluation of the same selection. It is absent if all GPUs are evaluated for
  /// it, or if it is not counted any more.
  Optional<Evaluation> after(Evaluation last) {
    CountedSelection counted = last.counted();
    return isPresent(counted) ? counted.next(pools, classes) : Optional.empty();
  }

  private boolean isPresent(CountedSelection counted) {
    return asked.get(counted.selection().name()) == counted;
  }

  /// Records the result of an evaluation. A selection that is not understood, or takes too long for
  /// all GPUs, is left to kube-scheduler.
  ///
  /// @param nanos CPU time that the evaluation took since [#next] or [#after]
  /// @return nodes whose counts changed
  Set<String> evaluated(Evaluation evaluation, long nanos) {
    CountedSelection counted = evaluation.counted();
    String name = counted.selection().name();
    used.merge(counted.namespace(), nanos, Long::sum);
    if (!isPresent(counted)) {
      return Set.of(); // dropped meanwhile
    }
    boolean slow = evaluation.nanosOfAll() > SelectionTime.LIMIT_NANOS;
    if (!slow && evaluation.isUnderstood()) {
      return counted.take(evaluation, pools);
    }
    if (slow) {
      log.warn(
          "The selection ({}) takes too long to evaluate for all GPUs and is left to kube-scheduler.",
          name);
    }
    if (unsupported.size() == REMEMBERED) {
      unsupported.removeFirst();
    }
    unsupported.add(counted.selection());
    asked.remove(name);
    changes++;
    return counted.nodes();
  }

  /// Drops the results for a deleted slice.
  void forget(String slice) {
    asked.values().forEach(each -> each.forget(slice));
  }

  /// Returns the names of the selections that match the GPU.
  ///
  /// @param slices names of the slices of its pool
  Set<String> taking(DeviceId gpu, Collection<String> slices) {
    return asked.entrySet().stream()
        .filter(each -> each.getValue().matches(gpu, slices))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}

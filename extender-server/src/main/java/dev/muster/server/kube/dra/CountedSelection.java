package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.GpuSlice.DeviceId;
import dev.muster.server.kube.dra.GpuSlice.Gpu;
import dev.muster.server.kube.dra.SlicePools.Recorded;
import dev.muster.server.kube.dra.cel.DeviceExpression;
import dev.muster.server.kube.dra.cel.DeviceExpressionCompiler;
import dev.muster.server.kube.dra.cel.DeviceTraits;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A counted selection, and the GPUs that match it.
///
/// Each state of a slice is evaluated once, in the order of the changes. Until then the GPUs of a
/// new slice do not match, and those of a changed slice match as before.
///
/// Not safe for use by several threads, except for [Evaluation#run].
final class CountedSelection {
  /// Number of GPUs that are evaluated between two readings of the clock, while they are cheap. A
  /// reading can take as long as a usual evaluation.
  private static final int CHEAP = 8;

  private static final long CHEAP_NANOS = 100_000;

  /// The matching GPUs of a slice.
  ///
  /// @param node node of the slice
  /// @param nanos CPU time of the evaluation
  private record Matches(String node, Set<DeviceId> gpus, long nanos) {
    static final Matches NONE = new Matches(GpuSlice.NO_NODE, Set.of(), 0);
  }

  private final DeviceSelection selection;
  private final Map<String, Matches> bySlice = new HashMap<>();
  private String namespace;
  private long nanos;
  private long last;
  private Optional<Evaluation> begun = Optional.empty();

  /// The compiled expressions of each alternative; absent before the first evaluation.
  private Optional<List<List<DeviceExpression>>> ways = Optional.empty();

  CountedSelection(DeviceSelection selection, String namespace) {
    this.selection = selection;
    this.namespace = namespace;
  }

  /// Returns a selection of the same name in place of this one, as after a change of a class. GPUs
  /// match as before until their slices are evaluated.
  CountedSelection replacedBy(DeviceSelection other) {
    CountedSelection next = new CountedSelection(other, namespace);
    next.bySlice.putAll(bySlice);
    next.nanos = nanos;
    return next;
  }

  DeviceSelection selection() {
    return selection;
  }

  /// Returns the namespace whose claims added the selection.
  String namespace() {
    return namespace;
  }

  void moveTo(String other) {
    namespace = other;
  }

  /// Returns the CPU time of the evaluation for all present slices, in nanoseconds.
  long nanos() {
    return nanos + begun.map(evaluation -> evaluation.nanos).orElse(0L);
  }

  /// Returns the nodes with matching GPUs.
  Set<String> nodes() {
    return bySlice.values().stream()
        .filter(matches -> !matches.gpus.isEmpty())
        .map(Matches::node)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// True if the GPU matches.
  ///
  /// @param slices names of the slices of its pool
  boolean matches(DeviceId gpu, Collection<String> slices) {
    return slices.stream()
        .anyMatch(slice -> bySlice.getOrDefault(slice, Matches.NONE).gpus.contains(gpu));
  }

  /// Drops the results for a deleted slice.
  void forget(String slice) {
    Matches old = bySlice.remove(slice);
    nanos -= old == null ? 0 : old.nanos;
  }

  /// True if a slice is not evaluated in its present state.
  boolean isBehind(SlicePools pools) {
    return pools.after(last).isPresent();
  }

  /// Returns the evaluation to run next; absent if none is left.
  ///
  /// @param classes gives the resource name of the GPUs of a slice; others do not match
  Optional<Evaluation> next(SlicePools pools, GpuDeviceClasses classes) {
    begun = begun.filter(evaluation -> pools.isCurrent(evaluation.slice));
    return begun.or(() -> pools.after(last).map(next -> new Evaluation(next, gpus(next, classes))));
  }

  private List<Gpu> gpus(Recorded next, GpuDeviceClasses classes) {
    GpuSlice slice = next.slice();
    return classes.acceleratorOf(slice.pool().driver()).equals(Optional.of(selection.accelerator()))
        ? slice.gpus()
        : List.of();
  }

  /// Records the result of an evaluation, which may be incomplete.
  ///
  /// @return nodes whose counts changed
  Set<String> take(Evaluation evaluation, SlicePools pools) {
    Recorded slice = evaluation.slice;
    boolean current = pools.isCurrent(slice);
    if (!current || !evaluation.isDone()) {
      begun = Optional.of(evaluation).filter(_ -> current);
      return Set.of();
    }
    begun = Optional.empty();
    last = slice.number();
    Matches now =
        new Matches(slice.slice().node(), Set.copyOf(evaluation.matching), evaluation.nanos);
    Matches before = bySlice.getOrDefault(slice.name(), Matches.NONE);
    bySlice.put(slice.name(), now);
    nanos += now.nanos - before.nanos;
    return now.gpus.equals(before.gpus) ? Set.of() : Set.of(now.node);
  }

  /// The evaluation for the GPUs of one slice. It can stop after each GPU, and go on later.
  final class Evaluation {
    private final Recorded slice;
    private final List<Gpu> gpus;
    private final Set<DeviceId> matching = new HashSet<>();
    private int done;
    private long nanos;

    private Evaluation(Recorded slice, List<Gpu> gpus) {
      this.slice = slice;
      this.gpus = gpus;
    }

    CountedSelection counted() {
      return CountedSelection.this;
    }

    /// Evaluates GPUs until all are done or the time is over, and at least one. No other thread may
    /// evaluate meanwhile.
    ///
    /// @return true if the time is over
    boolean run(DeviceExpressionCompiler language, SelectionTime time) {
      boolean isOver = false;
      if (ways.isEmpty()) {
        ways =
            Optional.of(selection.ways().stream().map(way -> understood(way, language)).toList());
        isOver = time.isOver();
      }
      if (!isUnderstood()) {
        return isOver;
      }
      int next = 1;
      do {
        long before = time.used();
        for (int end = Math.min(done + next, gpus.size()); done < end; done++) {
          Gpu gpu = gpus.get(done);
          if (isMatching(gpu, ways.get())) {
            matching.add(gpu.id());
          }
        }
        isOver = time.isOver();
        long took = time.used() - before;
        next = took < CHEAP_NANOS ? CHEAP : 1;
        nanos += took;
      } while (!isDone() && !isOver);
      return isOver;
    }

    private boolean isDone() {
      return done == gpus.size();
    }

    /// False if only Kubernetes understands all expressions of an alternative. Known after a run.
    boolean isUnderstood() {
      return ways.isEmpty() || ways.get().stream().noneMatch(List::isEmpty);
    }

    /// Returns the CPU time of the selection for all slices, if the evaluation ended now.
    long nanosOfAll() {
      return CountedSelection.this.nanos
          - bySlice.getOrDefault(slice.name(), Matches.NONE).nanos
          + nanos;
    }
  }

  private static boolean isMatching(Gpu gpu, List<List<DeviceExpression>> ways) {
    try {
      DeviceTraits traits = gpu.traits();
      return ways.stream().anyMatch(way -> way.stream().allMatch(each -> each.mayTake(traits)));
    } catch (RuntimeException _) {
      return true; // no device may stop the work for others; kube-scheduler decides
    }
  }

  private static List<DeviceExpression> understood(
      DeviceSelection.Way way, DeviceExpressionCompiler language) {
    return way.expressions().stream().map(language::compile).flatMap(Optional::stream).toList();
  }
}

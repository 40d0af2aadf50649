package dev.muster.simulator.pack;

import dev.muster.core.gang.NodeId;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// The packing experiment of Weng et al., USENIX ATC 2023. All pods of a list arrive once, in
/// random order. Further pods are drawn from it with replacement until the requests reach a share
/// of the fleet's GPUs. Each is placed on a node and never leaves; a pod that does not fit is
/// dropped. Equally good nodes are taken in an order that is shuffled once for each run.
public final class PackRun {
  private final Fleet fleet;
  private final List<PackPod> pods;
  private final PackPolicy policy;
  private final Random random;
  private final Fragments fragments;
  private final List<PackNode> boxes = new ArrayList<>();
  private final Map<NodeId, PackNode> byName = new LinkedHashMap<>();

  private PackRun(Fleet fleet, List<PackPod> pods, PackPolicy policy, long seed) {
    this.fleet = fleet;
    this.pods = pods;
    this.policy = policy;
    this.random = new Random(seed);
    this.fragments = new Fragments(pods);
    fleet.nodes().forEach(node -> byName.put(node.id(), new PackNode(node)));
    boxes.addAll(byName.values());
    Collections.shuffle(boxes, random);
  }

  /// Usage of the fleet at one point of the arrivals, as shares of its GPUs.
  ///
  /// @param arrived what all pods so far had asked for
  /// @param allocated what those have that were put somewhere
  /// @param fragmented what is free and of no use to the pods to be expected
  public record Point(double arrived, double allocated, double fragmented) {}

  /// Runs it.
  ///
  /// @param jobs each member is a pod
  /// @param demand until so much of the fleet's GPUs was asked for, 1 for all of them
  /// @return a point for each hundredth of the fleet's GPUs that was asked for
  /// @throws IllegalArgumentException if no pod asks for a GPU, the fleet has none, or the demand
  ///   is too small
  public static List<Point> of(
      Fleet fleet, List<TraceJob> jobs, PackPolicy policy, double demand, long seed) {
    check(demand);
    List<PackPod> pods = new ArrayList<>();
    for (TraceJob job : jobs) {
      pods.addAll(Collections.nCopies(job.workers(), PackPod.of(job)));
    }
    if (fleet.gpus() == 0) {
      throw new IllegalArgumentException("Fleet %s has no GPU.".formatted(fleet.name()));
    }
    if (pods.stream().allMatch(pod -> pod.gpuMilli() == 0)) {
      throw new IllegalArgumentException("No pod of the trace requests a GPU.");
    }
    return new PackRun(fleet, pods, policy, seed).run(demand);
  }

  private static void check(double demand) {
    if (!(demand >= 0.01 && demand <= 100)) {
      throw new IllegalArgumentException(
          "Demand %s: must be 0.01 to 100 times the GPUs of the fleet.".formatted(demand));
    }
  }

  private List<Point> run(double demand) {
    Packer packer = packer();
    double capacity = 1000.0 * fleet.gpus();
    List<Point> points = new ArrayList<>();
    long arrived = 0;
    long allocated = 0;
    List<PackPod> shuffled = new ArrayList<>(pods);
    Collections.shuffle(shuffled, random);
    for (int i = 0; arrived < demand * capacity; i++) {
      PackPod pod = i < shuffled.size() ? shuffled.get(i) : pods.get(random.nextInt(pods.size()));
      arrived += pod.gpuMilli();
      long reached = Math.min((long) (100 * arrived / capacity), Math.round(100 * demand));
      note(points, reached - 1, allocated); // a large pod skips these
      allocated += packer.put(pod, boxes) ? pod.gpuMilli() : 0;
      note(points, reached, allocated);
    }
    return points;
  }

  /// Adds points of what is now until there are so many.
  private void note(List<Point> points, long until, long allocated) {
    double capacity = 1000.0 * fleet.gpus();
    while (points.size() < until) {
      double lost = boxes.stream().mapToDouble(fragments::of).sum();
      points.add(new Point((points.size() + 1) / 100.0, allocated / capacity, lost / capacity));
    }
  }

  private Packer packer() {
    return switch (policy) {
      case RANDOM -> new RandomFit(random);
      case BEST_FIT -> Packer.highest(new BestFit());
      case DOT_PRODUCT -> Packer.highest(new DotProduct());
      case GPU_PACKING -> Packer.highest(new GpuPacking());
      case GPU_CLUSTERING -> Packer.highest(new GpuClustering());
      case FGD -> new GradientDescent(fragments);
      case MUSTER -> new OwnSearch(fleet, byName);
    };
  }
}

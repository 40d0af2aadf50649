package dev.muster.core.placement.oracle;

import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Free capacity of a node after some members were placed.
///
/// @param model the node's GPU model
/// @param free resources
/// @param gpus untouched GPUs
/// @param installed all GPUs of the node
/// @param parts thousandths free on each shared GPU, in ascending order
record OracleCapacity(String model, Resources free, int gpus, int installed, List<Integer> parts) {
  private static final int WHOLE = 1000;

  static OracleCapacity on(NodeState node) {
    return new OracleCapacity(
        Puzzle.model(node), node.free(), node.freeGpus(), node.node().gpus(), node.sharedFree());
  }

  /// The room that is left beside all of these; empty when there is too little.
  Optional<OracleCapacity> with(Collection<Request> requests) {
    Optional<OracleCapacity> room = Optional.of(this);
    boolean lonely = requests.stream().filter(Request::onePerNode).count() > 1;
    for (Request request : sorted(requests)) {
      room = room.flatMap(some -> some.with(request));
    }
    return lonely ? Optional.empty() : room;
  }

  /// Large parts of GPUs are given first: so are they booked.
  private static List<Request> sorted(Collection<Request> requests) {
    return requests.stream().sorted(Comparator.comparingInt(Request::gpuMilli).reversed()).toList();
  }

  private Optional<OracleCapacity> with(Request request) {
    if (request.gpus() > gpus || !free.covers(request.resources())) {
      return Optional.empty();
    }
    OracleCapacity left =
        new OracleCapacity(
            model, free.minus(request.resources()), gpus - request.gpus(), installed, parts);
    return request.gpuMilli() == 0 ? Optional.of(left) : left.withPart(request.gpuMilli());
  }

  /// A part comes off the fullest GPU that has it, off a fresh one if none has.
  private Optional<OracleCapacity> withPart(int milli) {
    Optional<Integer> fullest = parts.stream().filter(free -> free >= milli).findFirst();
    if (fullest.isEmpty() && gpus == 0) {
      return Optional.empty();
    }
    List<Integer> left = new ArrayList<>(parts);
    fullest.ifPresent(left::remove);
    left.add(fullest.orElse(WHOLE) - milli);
    left.sort(Comparator.naturalOrder());
    return Optional.of(
        new OracleCapacity(model, free, fullest.isPresent() ? gpus : gpus - 1, installed, left));
  }

  /// All that is free of GPUs, in thousandths.
  long freeMilli() {
    return 1000L * gpus + parts.stream().mapToInt(Integer::intValue).sum();
  }
}

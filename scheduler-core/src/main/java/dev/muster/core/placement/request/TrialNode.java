package dev.muster.core.placement.request;

import dev.muster.core.gang.Request;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.NodeState;
import java.util.Arrays;

/// The free capacity of a node while members are placed on it tentatively.
///
/// Members are placed in the order of their kinds, biggest first. A share of a GPU goes to the
/// fullest shared GPU with enough capacity, exactly as [dev.muster.core.node.SharedGpus] assigns it
/// later. So members that fit here also fit there.
public final class TrialNode {
  private static final int WHOLE = 1000;

  private final KindDemand demand;
  private final long[] free;
  private final int installed;
  private int gpus;

  /// Free thousandths of each shared GPU, fewest first.
  private int[] shared;

  private boolean lonely;

  private TrialNode(KindDemand demand, long[] free, int installed, int gpus, int[] shared) {
    this.demand = demand;
    this.free = free;
    this.installed = installed;
    this.gpus = gpus;
    this.shared = shared;
  }

  public static TrialNode on(NodeState node, KindDemand demand) {
    return of(node.freeCapacity(), demand);
  }

  /// Creates a trial of a node with this free capacity.
  public static TrialNode of(FreeCapacity freeCapacity, KindDemand demand) {
    int[] shared = new int[freeCapacity.shared().size()];
    for (int i = 0; i < shared.length; i++) {
      shared[i] = freeCapacity.shared().get(i);
    }
    return new TrialNode(
        demand,
        demand.amounts(freeCapacity.free()),
        freeCapacity.kind().gpus(),
        freeCapacity.gpus(),
        shared);
  }

  public TrialNode copy() {
    TrialNode copy = new TrialNode(demand, free.clone(), installed, gpus, shared);
    copy.lonely = lonely;
    return copy;
  }

  long cpu() {
    return free[KindDemand.CPU];
  }

  long memory() {
    return free[KindDemand.MEMORY];
  }

  /// Returns the free whole GPUs.
  int gpus() {
    return gpus;
  }

  /// True if all GPUs of the node are free, and none is promised or withheld.
  boolean isWhole() {
    return gpus == installed;
  }

  /// Returns the free thousandths of each shared GPU, fewest first; not to be modified.
  int[] shared() {
    return shared;
  }

  /// Places one member of the kind here. Returns false, and changes nothing, if it does not fit.
  public boolean take(int kind) {
    Request request = demand.kind(kind);
    if ((request.onePerNode() && lonely) || gpus < request.gpus() || !covers(kind)) {
      return false;
    }
    if (request.gpuMilli() > 0 && !takePiece(request.gpuMilli())) {
      return false;
    }
    gpus -= request.gpus();
    long[] needed = demand.needed(kind);
    for (int i = 0; i < free.length; i++) {
      free[i] -= needed[i];
    }
    lonely |= request.onePerNode();
    return true;
  }

  private boolean covers(int kind) {
    long[] needed = demand.needed(kind);
    for (int i = 0; i < free.length; i++) {
      if (needed[i] > 0 && free[i] < needed[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean takePiece(int milli) {
    for (int i = 0; i < shared.length; i++) {
      if (shared[i] >= milli) {
        shared = shared.clone();
        shared[i] -= milli;
        Arrays.sort(shared);
        return true;
      }
    }
    if (gpus == 0) {
      return false;
    }
    gpus--;
    shared = Arrays.copyOf(shared, shared.length + 1);
    shared[shared.length - 1] = WHOLE - milli;
    Arrays.sort(shared);
    return true;
  }

  /// Places as many members of the kind here as fit, at most `limit`.
  ///
  /// @return the number of members placed
  public int fill(int kind, int limit) {
    int taken = 0;
    while (taken < limit && take(kind)) {
      taken++;
    }
    return taken;
  }
}

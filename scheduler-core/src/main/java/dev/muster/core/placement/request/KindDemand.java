package dev.muster.core.placement.request;

import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.TreeSet;

/// The demand of each kind of member as an array of amounts. This makes it cheap to count the
/// members that fit on a node.
public final class KindDemand {
  /// The index of CPU among the resources; memory follows.
  static final int CPU = 0;

  static final int MEMORY = 1;

  private final KindCounts kindCounts;
  private final String[] names;
  private final long[][] amounts;

  KindDemand(KindCounts kindCounts) {
    this.kindCounts = kindCounts;
    TreeSet<String> others = new TreeSet<>();
    for (Request kind : kindCounts.kinds()) {
      others.addAll(kind.resources().names());
    }
    others.remove(Resources.CPU);
    others.remove(Resources.MEMORY);
    this.names = new String[2 + others.size()];
    names[CPU] = Resources.CPU;
    names[MEMORY] = Resources.MEMORY;
    int at = 2;
    for (String other : others) {
      names[at++] = other;
    }
    this.amounts = new long[kindCounts.kinds().size()][];
    for (int kind = 0; kind < amounts.length; kind++) {
      amounts[kind] = amounts(kind(kind).resources());
    }
  }

  /// Returns the amounts of the resources that some kind needs; CPU and memory come first.
  long[] amounts(Resources resources) {
    return resources.amounts(names);
  }

  KindCounts needs() {
    return kindCounts;
  }

  public int kinds() {
    return amounts.length;
  }

  public int count(int kind) {
    return kindCounts.counts().get(kind);
  }

  public Request kind(int kind) {
    return kindCounts.kinds().get(kind);
  }

  long[] needed(int kind) {
    return amounts[kind];
  }

  /// Returns the thousandths of GPUs that all members need together.
  public long gpuMilli() {
    long milli = 0;
    for (int kind = 0; kind < kinds(); kind++) {
      milli += count(kind) * (1000L * kind(kind).gpus() + kind(kind).gpuMilli());
    }
    return milli;
  }
}

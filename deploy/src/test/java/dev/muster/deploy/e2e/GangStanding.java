package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/// The members of one gang that a watch shows with a node, and how long they were too few.
final class GangStanding {
  private final String name;
  private final Set<String> started = new HashSet<>();
  private int least = Integer.MAX_VALUE; // until the PodGroup is seen
  private boolean kept;
  private boolean whole;
  private long halfSince; // 0 while the gang is not half bound
  private Duration longestHalf = Duration.ZERO;

  GangStanding(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  /// The PodGroup was seen.
  void wants(int minimum, boolean isProtected) {
    least = minimum;
    kept = isProtected;
    judge();
  }

  /// A member was seen. One that has succeeded counts as started; one that ends does not.
  void has(Pod pod) {
    boolean lives = !isOver(pod) && pod.getMetadata().getDeletionTimestamp() == null;
    if (isIn(pod, "Succeeded") || (TestGangs.isBound(pod) && lives)) {
      started.add(pod.getMetadata().getUid());
    } else {
      started.remove(pod.getMetadata().getUid());
    }
    judge();
  }

  void lost(Pod pod) {
    started.remove(pod.getMetadata().getUid());
    judge();
  }

  private void judge() {
    boolean known = least != Integer.MAX_VALUE;
    whole |= started.size() >= least;
    boolean half = known && !started.isEmpty() && started.size() < least;
    longestHalf = longestHalf();
    if (!half) {
      halfSince = 0;
    } else if (halfSince == 0) {
      halfSince = System.nanoTime();
    }
  }

  /// True if the pod has ended, so that it needs its GPUs no longer.
  static boolean isOver(Pod pod) {
    return isIn(pod, "Succeeded") || isIn(pod, "Failed");
  }

  private static boolean isIn(Pod pod, String phase) {
    return phase.equals(pod.getStatus().getPhase());
  }

  boolean isProtected() {
    return kept;
  }

  boolean wasWhole() {
    return whole;
  }

  /// The longest time in which the gang had members with nodes, but not its minimum.
  Duration longestHalf() {
    Duration now = halfSince == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - halfSince);
    return now.compareTo(longestHalf) > 0 ? now : longestHalf;
  }
}

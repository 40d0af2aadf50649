package dev.muster.deploy.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/// Times at which a watch first showed each state of each pod, in values of [System#nanoTime].
final class PodSightings implements ResourceEventHandler<Pod> {
  private final Map<String, Sight> sights = new HashMap<>();

  /// One pod; a moment is 0 until it was seen.
  private static final class Sight {
    private boolean gated;
    private long told;
    private long ungated;
    private long bound;

    void note(Pod pod, long now) {
      boolean nominated = pod.getStatus().getNominatedNodeName() != null;
      boolean free = pod.getSpec().getSchedulingGates().isEmpty();
      gated |= !free;
      told = told == 0 && (nominated || (gated && free)) ? now : told;
      ungated = ungated == 0 && free ? now : ungated;
      bound = bound == 0 && TestGangs.isBound(pod) ? now : bound;
    }
  }

  @Override
  public void onAdd(Pod pod) {
    note(pod);
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    note(pod);
  }

  @Override
  public synchronized void onDelete(Pod pod, boolean unknown) {
    notifyAll();
  }

  private synchronized void note(Pod pod) {
    sights
        .computeIfAbsent(pod.getMetadata().getName(), _ -> new Sight())
        .note(pod, System.nanoTime());
    notifyAll();
  }

  /// Waits until so many pods whose names begin so have a node.
  synchronized void awaitBound(String prefix, int pods, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    while (bound(prefix) < pods) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new IllegalStateException(
            "%d of %d pods %s* are bound after %s".formatted(bound(prefix), pods, prefix, atMost));
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted", e);
      }
    }
  }

  private long bound(String prefix) {
    return sights.entrySet().stream()
        .filter(e -> e.getKey().startsWith(prefix) && e.getValue().bound != 0)
        .count();
  }

  /// When the first of the pods was nominated to a node or lost its gate; 0 if none did.
  synchronized long firstTold(String prefix) {
    return of(prefix, s -> s.told).filter(t -> t != 0).min().orElse(0);
  }

  /// When the last of the pods had no gate.
  synchronized long lastUngated(String prefix) {
    return of(prefix, s -> s.ungated).max().orElse(0);
  }

  /// When the last of the pods had a node.
  synchronized long lastBound(String prefix) {
    return of(prefix, s -> s.bound).max().orElse(0);
  }

  private LongStream of(String prefix, ToLongFunction<Sight> moment) {
    return sights.entrySet().stream()
        .filter(e -> e.getKey().startsWith(prefix))
        .map(Map.Entry::getValue)
        .mapToLong(moment);
  }
}

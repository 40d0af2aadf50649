package dev.muster.server.kube.watch;

import dev.muster.core.gang.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Finds orphaned gates: pods that are not managed but have Muster's gate, which no other program
/// removes.
///
/// The removal is requested while the gate is seen on the pod. So lost patches and restarts need no
/// separate handling.
public final class OrphanedGates {
  /// Delay before a removal. The objects that make a pod managed, such as its claim, may be seen a
  /// moment after the pod.
  static final Duration REST = Duration.ofSeconds(3);

  private static final Duration AGAIN = Duration.ofSeconds(15);

  private final Map<String, Due> pods = new ConcurrentHashMap<>();
  private final Consumer<MemberId> opener;

  private record Due(MemberId pod, Instant at) {}

  /// @param opener removes the gate; must tolerate repeated requests
  public OrphanedGates(Consumer<MemberId> opener) {
    this.opener = opener;
  }

  /// Records that the pod with this key has an orphaned gate, or that it has none.
  void note(String key, Optional<MemberId> stray, Instant now) {
    pods.compute(
        key,
        (_, before) ->
            stray.isPresent() && before != null && before.pod.equals(stray.get())
                ? before
                : stray.map(pod -> new Due(pod, now.plus(REST))).orElse(null));
  }

  /// Requests the removals that are due.
  public void open(Instant now) {
    pods.forEach((key, due) -> {
      if (!now.isBefore(due.at) && pods.replace(key, due, new Due(due.pod, now.plus(AGAIN)))) {
        opener.accept(due.pod);
      }
    });
  }
}

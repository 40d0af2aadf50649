package dev.muster.server.kube;

import dev.muster.core.gang.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// The pods that wear our gate and are nothing to us: nobody else would take it off.
///
/// It is asked for while the gate is seen on the pod, so a lost patch and a restart are one case.
final class StrayGates {
  /// What makes a pod ours, as the claim that it names, may be seen a moment after the pod.
  static final Duration REST = Duration.ofSeconds(3);

  private static final Duration AGAIN = Duration.ofSeconds(15);

  private final Map<String, Due> pods = new ConcurrentHashMap<>();
  private final Consumer<MemberId> opener;

  private record Due(MemberId pod, Instant at) {}

  /// @param opener takes the gate off; must bear being asked twice
  StrayGates(Consumer<MemberId> opener) {
    this.opener = opener;
  }

  /// The pod under the key is such a pod, or there is none.
  void note(String key, Optional<MemberId> stray, Instant now) {
    pods.compute(
        key,
        (_, before) ->
            stray.isPresent() && before != null && before.pod.equals(stray.get())
                ? before
                : stray.map(pod -> new Due(pod, now.plus(REST))).orElse(null));
  }

  /// Asks for what is due.
  void open(Instant now) {
    pods.forEach((key, due) -> {
      if (!now.isBefore(due.at) && pods.replace(key, due, new Due(due.pod, now.plus(AGAIN)))) {
        opener.accept(due.pod);
      }
    });
  }
}

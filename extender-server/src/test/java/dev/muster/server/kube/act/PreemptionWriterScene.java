package dev.muster.server.kube.act;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.OutboxScene;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Victims of one gang, and an API server that evicts them.
abstract class PreemptionWriterScene extends OutboxScene {
  static final String FORBIDDEN =
      "Cannot evict pod as it would violate the pod's disruption budget.";
  static final GangId BY = new GangId("ml", GangId.Origin.POD_GROUP, "prod");

  static MemberId pod(int i) {
    return new MemberId("ml", "train-" + i, "u" + i);
  }

  static Effect.TellVictim tell(int pods, boolean overBudgets) {
    SortedKeys<MemberId> members = SortedKeys.empty();
    for (int i = 0; i < pods; i++) {
      members = members.with(pod(i));
    }
    Victim victim = new Victim(GANG, members, "rule", 0);
    Optional<Instant> deadline = Optional.of(NOW.plusSeconds(60));
    return new Effect.TellVictim(
        GANG, new Effect.Notice(BY, victim, "r1", deadline, List.of(NOW), overBudgets));
  }

  /// One budget, which selects all pods of the gang.
  static Reply budgets(Call call, int allowed) {
    return call.path().endsWith("/poddisruptionbudgets")
        ? new Reply(
            200,
            "{\"items\":[{\"metadata\":{\"name\":\"b\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"x\"}}},\"status\":{\"disruptionsAllowed\":%d}}]}"
                .formatted(allowed))
        : new Reply(200, "{}");
  }

  /// Shows these first pods of the gang, with a status.
  void shows(int count, PodStatus status) {
    for (int i = 0; i < count; i++) {
      Pod pod =
          new PodBuilder()
              .withNewMetadata()
              .addToLabels("a", "x")
              .endMetadata()
              .withStatus(status)
              .build();
      others.put(pod(i), pod);
    }
  }
}

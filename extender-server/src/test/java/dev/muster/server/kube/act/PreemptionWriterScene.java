package dev.muster.server.kube.act;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.OutboxScene;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
  static Reply budgets(Call call, int allowed, int pods) {
    if (call.path().endsWith("/poddisruptionbudgets")) {
      return new Reply(
          200,
          "{\"items\":[{\"metadata\":{\"name\":\"b\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"x\"}}},\"status\":{\"disruptionsAllowed\":%d}}]}"
              .formatted(allowed));
    }
    return call.path().endsWith("/pods") ? pods("", pods) : new Reply(200, "{}");
  }

  /// Answers any list of pods with these first pods of the gang.
  ///
  /// @param more further fields of each, with a comma
  static Reply pods(String more, int count) {
    String pod = "{'metadata': {'uid': 'u%d', 'labels': {'a': 'x'}} " + more + "}";
    String items =
        IntStream.range(0, count).mapToObj(pod::formatted).collect(Collectors.joining(","));
    return new Reply(200, "{'items': [%s]}".formatted(items).replace('\'', '"'));
  }
}

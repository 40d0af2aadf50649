package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.State;
import org.junit.jupiter.api.Test;

/// Pods record the queue that is charged for them while no object of their gang names it.
class ChargedQueueTest extends OutboxScene {
  private static State after(State state, Event... events) {
    State next = state;
    for (Event event : events) {
      next = next.with(next.cluster().apply(event));
    }
    return next;
  }

  @Test
  void running_pod_of_a_deleted_object_records_its_queue() throws InterruptedException {
    State runs =
        after(
            seen(member(POD, GANG, new MemberState.Bound(NODE, NOW))),
            new Event.GangSeen(NOW, GangSpec.of(GANG, 1, "team-a", NOW)),
            new Event.Synced(NOW),
            new Event.GangGone(NOW, GANG));
    perform(runs);
    perform(after(runs, new Event.Tick(NOW.plusSeconds(30))));

    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                "/api/v1/namespaces/ml/pods/train-0",
                "application/merge-patch+json",
                "{\"metadata\":{\"uid\":\"u0\",\"annotations\":{\"muster.dev/charged-queue\":\"team-a\"}}}"));
  }
}

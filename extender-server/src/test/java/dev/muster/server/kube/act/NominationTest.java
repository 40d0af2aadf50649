package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.state.Effect;
import dev.muster.core.state.State;
import dev.muster.server.kube.OutboxScene;
import dev.muster.server.kube.ScriptedApi;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Some pods start without a nomination.
@Timeout(30)
class NominationTest extends OutboxScene {
  private static final MemberState GATED = new MemberState.Held(false);
  private static final Resources NOTHING = Resources.NONE;
  private static final GpuModel MODEL = new GpuModel("", GpuModel.Kind.WHOLE, 0, "");

  @Test
  void gated_member_of_a_gang_only_loses_its_gate() throws InterruptedException {
    assertThat(perform(image(GANG, GATED, 1, NOTHING), start()))
        .containsExactly(new Event.MemberStarted(NOW, GANG, POD, NODE));
    assertThat(server.calls).containsExactly(UNGATED);
  }

  @Test
  void gate_that_cannot_be_removed_is_an_outcome() throws InterruptedException {
    server.answers(_ -> ScriptedApi.Reply.refused(422, "not this one"));

    assertThat(perform(image(GANG, GATED, 1, NOTHING), start()))
        .containsExactly(
            new Event.MemberNotStarted(
                NOW, GANG, POD, NODE, "The gate could not be removed: 422 not this one"));
  }

  @Test
  void pod_left_to_the_filter_is_nominated_on_the_second_request() throws InterruptedException {
    var queued = new MemberState.Waiting(Optional.empty(), false);
    perform(image(GANG, queued, 1, NOTHING), start());

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(1);
  }

  @Test
  void pod_left_to_the_filter_and_refused_is_nominated() throws InterruptedException {
    var refused = new MemberState.Waiting(Optional.empty(), true);
    perform(image(GANG, refused, 1, NOTHING), start());

    assertThat(server.calls("PATCH", "/pods/train-0/status")).hasSize(1);
  }

  @Test
  void pod_is_nominated_when_less_than_a_quarter_of_cpu_or_memory_is_free()
      throws InterruptedException {
    Resources most = Resources.of(Map.of("cpu", 72_000L, "memory", 768L));
    perform(image(GANG, GATED, 1, most), start());
    assertThat(nominations()).isZero();

    perform(image(GANG, GATED, 1, most.plus(Resources.of("cpu", 1))), start());
    assertThat(nominations()).isEqualTo(1);

    perform(image(GANG, GATED, 1, most.plus(Resources.of("memory", 1))), start());
    assertThat(nominations()).isEqualTo(2);
  }

  @Test
  void pod_is_nominated_in_large_clusters() throws InterruptedException {
    perform(image(GANG, GATED, Nomination.NODES, NOTHING), start());
    assertThat(nominations()).isZero();

    perform(image(GANG, GATED, Nomination.NODES + 1, NOTHING), start());
    assertThat(nominations()).isEqualTo(1);
  }

  @Test
  void pod_is_nominated_without_a_recorded_promise() throws InterruptedException {
    for (Origin origin : List.of(Origin.POD, Origin.VOLCANO)) {
      GangId gang = new GangId("ml", origin, "train-0");
      perform(image(gang, GATED, 1, NOTHING), new Effect.StartMember(gang, POD, NODE));
    }
    assertThat(nominations()).isEqualTo(2);
  }

  @Test
  void pod_is_nominated_when_its_gpus_are_claimed() throws InterruptedException {
    claimed = true;
    perform(image(GANG, GATED, 1, NOTHING), start());
    assertThat(nominations()).isEqualTo(1);
  }

  @Test
  void pod_without_gpu_is_nominated() throws InterruptedException {
    perform(image(member(POD, GANG, GATED, 0), 1, NOTHING), start());
    assertThat(nominations()).isEqualTo(1);
  }

  private int nominations() {
    return server.calls("PATCH", "/pods/train-0/status").size();
  }

  /// The pod, and so many nodes, on one of which a stranger takes this.
  private static State image(GangId gang, MemberState pod, int nodes, Resources taken) {
    return image(member(POD, gang, pod), nodes, taken);
  }

  private static State image(Member pod, int nodes, Resources taken) {
    State state = seen(pod);
    Cluster cluster = state.cluster().apply(new Event.NodeSeen(NOW, node(NODE)));
    for (int i = 1; i < nodes; i++) {
      cluster = cluster.apply(new Event.NodeSeen(NOW, node(new NodeId("other-" + i))));
    }
    MemberId stranger = new MemberId("web", "shop", "u9");
    return state.with(cluster.apply(new Event.UnmanagedPodSeen(NOW, stranger, NODE, taken, 0)));
  }

  private static Node node(NodeId id) {
    Resources all = Resources.of(Map.of("cpu", 96_000L, "memory", 1_024L, "pods", 110L));
    return new Node(id, new TreeMap<>(), all, 0, MODEL, List.of(), false, List.of());
  }
}

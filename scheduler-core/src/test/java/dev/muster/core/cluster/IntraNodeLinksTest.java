package dev.muster.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Node;
import dev.muster.core.topology.Topology;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Links between GPUs are computed on a DGX-1 with V100. Its halves are 0 to 3 and 4 to 7. GPUs 0
/// and 3, and 4 and 7, have double links.
class IntraNodeLinksTest {
  private static final GangId GANG = new GangId("ml", GangId.Origin.POD_GROUP, "train");
  private static final NodeId DGX = new NodeId("dgx");

  private final Cluster empty = Cluster.empty(new Topology(List.of()));

  private static Node dgx(Integer... free) {
    Node node = Scene.node("dgx", Map.of(), 8, "Tesla-V100-SXM2-32GB", false);
    return new Node(
        node.id(),
        node.labels(),
        node.allocatable(),
        node.gpus(),
        node.model(),
        node.taints(),
        node.cordoned(),
        node.faults(),
        free.length == 0 ? Optional.empty() : Optional.of(new TreeSet<>(List.of(free))));
  }

  private static MemberId id(String pod) {
    return new MemberId("ml", pod, pod);
  }

  private static Member member(String pod, int rank, int gpus, MemberState state) {
    Request request = Request.of(Resources.of("nvidia.com/gpu", gpus), gpus);
    return new Member(id(pod), GANG, rank, 0, request, GangConstraints.NONE, state, Scene.START);
  }

  private Cluster seen(Node node, Member... members) {
    Cluster cluster = empty.apply(new Event.NodeSeen(Scene.START, node));
    for (Member member : members) {
      cluster = cluster.apply(new Event.MemberSeen(Scene.START, member));
    }
    return cluster.apply(
        new Event.GangSeen(Scene.START, GangSpec.of(GANG, 1, "research", Scene.START)));
  }

  private static Cluster promised(Cluster cluster, String... pods) {
    Reservation held =
        Reservation.open(GANG, Scene.START, Scene.START.plusSeconds(60))
            .as(Reservation.Written.DONE, Scene.START);
    for (String pod : pods) {
      held = held.with(Promise.keep(id(pod), DGX, Scene.START));
    }
    return cluster.with(held);
  }

  private static MemberState waiting() {
    return new MemberState.Waiting(Optional.empty(), false);
  }

  @Test
  void members_share_the_best_unused_gpus_in_rank_order() {
    Event stranger =
        new Event.UnmanagedPodSeen(
            Scene.START, id("other"), DGX, Resources.of("nvidia.com/gpu", 2), 2);
    Cluster cluster =
        seen(dgx(0, 3, 4, 5, 6, 7), member("b", 0, 2, waiting()), member("a", 1, 2, waiting()))
            .apply(stranger);

    assertThat(IntraNodeLinks.of(promised(cluster, "a", "b"), GANG))
        .isEqualTo(
            Map.of(
                id("b"), new IntraNodeLinks(List.of(0, 3), 400_000),
                id("a"), new IntraNodeLinks(List.of(4, 7), 400_000)));
  }

  @Test
  void reported_unused_gpus_that_contradict_the_ledger_are_ignored() {
    Cluster cluster = promised(seen(dgx(0, 3), member("a", 0, 2, waiting())), "a");

    assertThat(IntraNodeLinks.of(cluster, GANG))
        .as("two GPUs of different halves may have nothing but PCIe")
        .isEqualTo(Map.of(id("a"), new IntraNodeLinks(List.of(), 63_015)));
  }

  @Test
  void running_member_has_the_worst_link_of_any_gpu_set_of_its_size() {
    MemberState runs = new MemberState.Bound(DGX, Scene.START);

    assertThat(IntraNodeLinks.of(seen(dgx(), member("a", 0, 5, runs)), GANG))
        .isEqualTo(Map.of(id("a"), new IntraNodeLinks(List.of(), 200_000)));
  }

  @Test
  void one_gpu_or_no_node_needs_no_link() {
    MemberState runs = new MemberState.Bound(DGX, Scene.START);

    assertThat(
            IntraNodeLinks.of(
                seen(dgx(), member("one", 0, 1, runs), member("homeless", 0, 4, waiting())), GANG))
        .isEmpty();
  }
}

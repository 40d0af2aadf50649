package dev.muster.server.http;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.server.http.extender.PodScope;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Small cluster images drawn by hand.
///
/// ```
/// gpu-1, gpu-2, gpu-3   8 GPUs each
/// cpu-1                 none
/// ```
record ServerImages(State state) {
  static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  static final String GPU = "nvidia.com/gpu";
  static final PodScope SCOPE = new PodScope(Set.of(GPU), Set.of("default-scheduler"));
  static final GangId TRAIN = new GangId("ml", GangId.Origin.POD_GROUP, "train");

  /// Three GPU nodes and one without.
  static ServerImages cluster() {
    ServerImages image = new ServerImages(State.empty(new Topology(List.of())));
    for (String node : List.of("gpu-1", "gpu-2", "gpu-3")) {
      image = image.node(node, 8);
    }
    return image.node("cpu-1", 0).after(new Event.Synced(NOW));
  }

  ServerImages node(String name, int gpus) {
    Resources has =
        Resources.of(Map.of(GPU, (long) gpus, Resources.CPU, 64_000L, Resources.PODS, 110L));
    return after(
        new Event.NodeSeen(
            NOW,
            new Node(
                new NodeId(name),
                new TreeMap<>(),
                has,
                gpus,
                GpuModel.UNKNOWN,
                List.of(),
                false,
                List.of())));
  }

  ServerImages after(Event event) {
    return with(state.cluster().apply(event));
  }

  private ServerImages with(Cluster cluster) {
    return new ServerImages(state.with(cluster));
  }

  /// Gang `ml/train` with this minimum.
  ServerImages train(int minCount) {
    return after(new Event.GangSeen(NOW, GangSpec.of(TRAIN, minCount, "research", NOW)));
  }

  static MemberId id(String pod) {
    return new MemberId("ml", pod, "uid-" + pod);
  }

  ServerImages member(GangId gang, String pod, MemberState state) {
    Resources needs = Resources.of(Map.of(GPU, 8L, Resources.PODS, 1L));
    Request request = Request.of(needs, 8);
    return after(
        new Event.MemberSeen(
            NOW, new Member(id(pod), gang, 0, 0, request, GangConstraints.NONE, state, NOW)));
  }

  static GangId lone(String pod) {
    return new GangId("ml", GangId.Origin.POD, pod);
  }

  /// Events of a new, gated pod without a gang.
  static List<Event> lonePod(String pod, int gpus) {
    Resources needs = Resources.of(Map.of(GPU, (long) gpus, Resources.PODS, 1L));
    MemberState held = new MemberState.Held(false);
    return List.of(
        new Event.GangSeen(NOW, GangSpec.of(lone(pod), 1, "research", NOW)),
        new Event.MemberSeen(
            NOW,
            new Member(
                id(pod),
                lone(pod),
                0,
                0,
                Request.of(needs, gpus),
                GangConstraints.NONE,
                held,
                NOW)));
  }

  ServerImages waiting(String pod) {
    return member(TRAIN, pod, new MemberState.Waiting(Optional.empty(), false));
  }

  ServerImages bound(String pod, String node) {
    return member(TRAIN, pod, new MemberState.Bound(new NodeId(node), NOW));
  }

  /// The node is promised to the member of `ml/train`.
  ServerImages promised(String pod, String node) {
    Promise promise = Promise.keep(id(pod), new NodeId(node), NOW);
    Reservation held =
        state
            .cluster()
            .reservations()
            .get(TRAIN)
            .orElse(
                Reservation.open(TRAIN, NOW, NOW.plusSeconds(120))
                    .as(Reservation.Written.DONE, NOW));
    return with(state.cluster().with(held.with(promise)));
  }

  /// The gang waits, or is rejected, for this reason.
  ServerImages waits(Veto why) {
    return decided(new Decision.Wait(TRAIN, Explanation.of(state.cluster(), why)));
  }

  ServerImages decided(Decision decision) {
    return new ServerImages(state.with(state.waiting().with(decision)));
  }
}

package dev.muster.simulator.pack;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.node.Node;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The production placement search, pod by pod. It knows the pods seen so far, not later ones.
final class OwnSearch implements Packer {
  private final Map<NodeId, PackNode> boxes;
  private Cluster cluster;
  private int pods;

  /// @param boxes the nodes of the fleet, by name
  OwnSearch(Fleet fleet, Map<NodeId, PackNode> boxes) {
    this.boxes = boxes;
    this.cluster = Cluster.empty(fleet.topology());
    for (Node node : fleet.nodes()) {
      cluster = cluster.apply(new Event.NodeSeen(Instant.EPOCH, node));
    }
    cluster = cluster.apply(new Event.Synced(Instant.EPOCH));
  }

  @Override
  public boolean put(PackPod pod, List<PackNode> all) {
    GangId id = new GangId("pack", GangId.Origin.POD, "pod-" + pods++);
    GangConstraints constraints = GangConstraints.of(TopologyConstraint.NONE, pod.choice());
    Member member = member(id, pod, constraints);
    GangSpec spec = GangSpec.of(id, 1, "pack", Instant.EPOCH).wishing(constraints);
    Cluster asked =
        cluster
            .apply(new Event.GangSeen(Instant.EPOCH, spec))
            .apply(new Event.MemberSeen(Instant.EPOCH, member));
    SearchResult result =
        PlacementSearch.search(asked, asked.gang(id), List.of(member), SortedKeys.empty());
    if (!(result instanceof SearchResult.Found found)) {
      return false;
    }
    NodeId node = found.placement().assignments().getFirst().node();
    MemberState bound = new MemberState.Bound(node, Instant.EPOCH);
    cluster = asked.apply(new Event.MemberSeen(Instant.EPOCH, member.as(bound)));
    Optional.ofNullable(boxes.get(node)).orElseThrow().put(pod);
    return true;
  }

  private static Member member(GangId id, PackPod pod, GangConstraints constraints) {
    Map<String, Long> amounts = new TreeMap<>();
    amounts.put(Resources.CPU, pod.cpuMilli());
    amounts.put(Resources.MEMORY, pod.memory());
    amounts.put(Resources.PODS, 1L);
    int whole = pod.milli() == 1000 ? pod.devices() : 0;
    amounts.put(FleetNotation.GPU, (long) whole);
    Request any = Request.of(Resources.of(amounts), whole);
    int part = pod.milli() < 1000 ? pod.milli() : 0;
    Request request = new Request(any.resources(), whole, part, any.selection(), false);
    MemberId name = new MemberId(id.namespace(), id.name(), id.name());
    MemberState held = new MemberState.Held(false);
    return new Member(name, id, 0, 0, request, constraints, held, Instant.EPOCH);
  }
}

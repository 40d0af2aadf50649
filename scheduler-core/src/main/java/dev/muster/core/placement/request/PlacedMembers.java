package dev.muster.core.placement.request;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The members of a gang that already have a place, and those to be placed near them.
public final class PlacedMembers {
  private final Gang gang;
  private final List<Member> newcomers;
  private final TreeSet<MemberId> fresh = new TreeSet<>();
  private final TreeMap<MemberId, NodeState> places = new TreeMap<>();
  private final TreeSet<NodeId> lonely = new TreeSet<>();
  private final TreeSet<DomainPath> domains = new TreeSet<>();

  PlacedMembers(Cluster cluster, Gang gang, List<Member> newcomers) {
    this.gang = gang;
    this.newcomers = newcomers;
    for (Member member : newcomers) {
      fresh.add(member.id());
    }
    for (Member mate : gang.active()) {
      Optional<NodeId> place = place(cluster, mate);
      Optional<NodeState> node =
          place.isPresent() ? cluster.nodes().get(place.get()) : Optional.empty();
      if (node.isPresent()) {
        settle(mate, node.get());
      } else if (mate.request().onePerNode()) {
        mate.node().filter(left -> isStillOn(cluster, left, mate)).ifPresent(lonely::add);
      }
    }
  }

  private static Optional<NodeId> place(Cluster cluster, Member mate) {
    return mate.isBound() ? mate.node() : cluster.promise(mate).map(Promise::node);
  }

  /// True if a leaving pod is on the node in this image. kube-scheduler counts it until it is gone.
  private static boolean isStillOn(Cluster cluster, NodeId node, Member leaving) {
    return cluster.nodes().contains(node, state -> state.occupants().contains(leaving.id()));
  }

  private void settle(Member mate, NodeState node) {
    places.put(mate.id(), node);
    if (mate.request().onePerNode()) {
      lonely.add(node.id());
    }
    for (int depth = 0; depth <= node.path().depth() + 1; depth++) {
      domains.add(node.place(depth));
    }
  }

  boolean isNew(Member member) {
    return fresh.contains(member.id());
  }

  Optional<NodeState> placeOf(Member mate) {
    return Optional.ofNullable(places.get(mate.id()));
  }

  /// True if any member has a place.
  public boolean areSomewhere() {
    return !places.isEmpty();
  }

  /// True if the node runs a placed member that allows only one member per node.
  boolean hasLonely(NodeId node) {
    return lonely.contains(node);
  }

  /// True if such a member terminates on the node, and no other keeps new members away from it.
  public boolean isBeingLeft(NodeId node) {
    return lonely.contains(node)
        && places.entrySet().stream()
            .noneMatch(placed -> placed.getValue().id().equals(node) && isLonely(placed.getKey()));
  }

  private boolean isLonely(MemberId mate) {
    return gang.members().contains(mate, member -> member.request().onePerNode());
  }

  /// True if any placed member allows only one member per node.
  boolean haveLonely() {
    return !lonely.isEmpty();
  }

  /// True if a member has its place inside the domain, or on the node that the path names.
  public boolean areIn(DomainPath domain) {
    return areSomewhere() && domains.contains(domain);
  }

  /// True if a member has its place in the node's domain at this depth.
  public boolean areNear(NodeState node, int depth) {
    return areSomewhere() && domains.contains(node.place(depth));
  }

  /// Returns the GPU models on which placed members with GPUs run.
  public SortedSet<String> models() {
    TreeSet<String> models = new TreeSet<>();
    for (Member mate : gang.active()) {
      NodeState node = places.get(mate.id());
      if (node != null && mate.request().wantsGpu()) {
        models.add(node.node().model().name());
      }
    }
    return models;
  }

  /// Returns the node of all placed members, if it is a single one.
  public Optional<NodeState> onlyNode() {
    if (places.isEmpty()) {
      return Optional.empty();
    }
    NodeState first = places.firstEntry().getValue();
    for (NodeState node : places.values()) {
      if (!node.id().equals(first.id())) {
        return Optional.empty();
      }
    }
    return Optional.of(first);
  }

  /// Returns the narrowest domain that contains all placed members.
  public DomainPath common() {
    DomainPath common = places.firstEntry().getValue().path();
    for (NodeState node : places.values()) {
      common = common.common(node.path());
    }
    return common;
  }

  /// Returns the members by which slices are counted, in rank order.
  ///
  /// They are the members to be placed, placed, waiting or succeeded. A failed or leaving member
  /// also counts if no other member has its rank. A replacement will take that rank, and until then
  /// the other members keep theirs.
  List<Member> inRankOrder() {
    List<Member> all = new ArrayList<>(newcomers);
    List<Member> lost = new ArrayList<>();
    for (Member member : gang.members()) {
      if (!isNew(member)) {
        boolean counts = places.containsKey(member.id()) || waits(member) || member.hasSucceeded();
        (counts ? all : lost).add(member);
      }
    }
    TreeSet<Long> ranks = new TreeSet<>();
    all.forEach(member -> ranks.add(member.rank()));
    lost.removeIf(member -> !ranks.add(member.rank()));
    all.addAll(lost);
    all.sort(Member.BY_RANK);
    return all;
  }

  private static boolean waits(Member member) {
    return member.state() instanceof MemberState.Held
        || member.state() instanceof MemberState.Waiting;
  }
}

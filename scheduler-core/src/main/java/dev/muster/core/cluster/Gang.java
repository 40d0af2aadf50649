package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Wishes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The unit of decision: members that start all or none. Either part may be seen first: the pods or
/// the object that declares the gang.
///
/// @param id the gang
/// @param spec what its object declares; absent until that was seen
/// @param members its pods
public record Gang(GangId id, Optional<GangSpec> spec, SortedTable<MemberId, Member> members) {
  static Gang unseen(GangId id) {
    return new Gang(id, Optional.empty(), SortedTable.empty());
  }

  /// Its priority: its own, else the lowest of its members', so that one pod cannot lift its mates;
  /// 0 without members.
  public int priority() {
    return spec.flatMap(GangSpec::priority)
        .orElseGet(() -> members.values().stream().mapToInt(Member::priority).min().orElse(0));
  }

  /// The queue it is accounted to: its object's, its namespace while that was not seen.
  public String queue() {
    return spec.map(GangSpec::queue).orElse(id.namespace());
  }

  /// What is wished for it: by its object, and where that says nothing by its first member in rank
  /// order, since many job controllers make the object and let users annotate only the pods.
  public Wishes wishes() {
    Wishes own = spec.map(GangSpec::wishes).orElse(Wishes.NONE);
    return members.values().stream()
        .min(Member.BY_RANK)
        .map(first -> own.or(first.wishes()))
        .orElse(own);
  }

  /// The same gang, its object wishing for these models and for all else that is wished for it.
  public Gang wishing(GpuChoice gpus) {
    Wishes all = wishes();
    Wishes other = new Wishes(all.topology(), gpus, all.runtime());
    return new Gang(id, spec.map(declared -> declared.wishing(other)), members);
  }

  /// Members that wait for a node, by rank.
  public List<Member> waiting() {
    List<Member> waiting = new ArrayList<>();
    for (Member member : members) {
      if (member.wantsNode()) {
        waiting.add(member);
      }
    }
    waiting.sort(Member.BY_RANK);
    return waiting;
  }

  public int boundCount() {
    return members.count(Member::isBound);
  }

  /// Members that count towards the minimum: bound, waiting for a node, or done with success.
  public int presentCount() {
    return members.count(member -> member.isBound() || member.wantsNode() || member.hasSucceeded());
  }

  /// The nodes its bound members run on.
  public SortedSet<NodeId> nodes() {
    TreeSet<NodeId> nodes = new TreeSet<>();
    for (Member member : members) {
      if (member.isBound()) {
        member.node().ifPresent(nodes::add);
      }
    }
    return nodes;
  }

  /// Whether enough members are here for its minimum.
  public boolean isComplete() {
    return spec.isPresent() && presentCount() >= spec.get().minCount();
  }

  /// Where the gang stands, given whether a reservation is held for it.
  public GangPhase phase(boolean reserved) {
    if (spec.isEmpty() && members.isEmpty()) {
      return GangPhase.GONE;
    }
    if (reserved) {
      return GangPhase.RESERVED;
    }
    if (members.any(Member::isBound)) {
      return GangPhase.BOUND;
    }
    if (!members.any(Member::wantsNode)) {
      return members.isEmpty() || members.any(member -> member.state() instanceof MemberState.Held)
          ? GangPhase.GATHERING
          : GangPhase.LEAVING;
    }
    return isComplete() ? GangPhase.PENDING : GangPhase.GATHERING;
  }

  Gang with(GangSpec seen) {
    return new Gang(id, Optional.of(seen), members);
  }

  Gang withoutSpec() {
    return new Gang(id, Optional.empty(), members);
  }

  Gang with(Member member) {
    return new Gang(id, spec, members.with(member.id(), member));
  }

  Gang without(MemberId member) {
    return new Gang(id, spec, members.without(member));
  }
}

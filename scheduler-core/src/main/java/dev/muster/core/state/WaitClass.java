package dev.muster.core.state;

import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.LastingRules;
import dev.muster.core.fit.MemberRequirements;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Topology;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// Gangs that wait for the same: of one queue and priority, with equal needs and wishes, expected
/// to run equally long. While the first of them does not fit none of them does, so one answer is
/// the answer for all (Borg's equivalence classes: Verma et al. 2015).
///
/// @param key what they have in common
/// @param asks what their members ask of a node, each kind once
/// @param need what each of them needs at least
/// @param gangs the gangs, oldest first
/// @param why why the first of them does not fit
public record WaitClass(
    Key key, List<MemberRequirements> asks, Need need, SortedTable<Age, GangId> gangs, Explanation why) {
  public WaitClass {
    asks = List.copyOf(asks);
  }

  /// The class that the gang waits in, of itself alone.
  ///
  /// @param why why it does not fit
  public static WaitClass of(
      Cluster cluster, RuntimeHistory history, Gang gang, Policies policies, Explanation why) {
    List<Member> wanting = PendingMembers.of(cluster, gang);
    List<MemberRequirements> asks = MemberRequirements.ofEach(wanting, gang.constraints(), cluster.topology());
    Need need = Need.of(cluster, gang, wanting);
    Key key = Key.of(cluster, history, gang, policies);
    return new WaitClass(key, asks, need, SortedTable.empty(), why);
  }

  /// What the gangs of a class have in common.
  ///
  /// @param queue their queue
  /// @param priority their effective priority
  /// @param asks all else that counts, as text
  public record Key(String queue, int priority, String asks) implements Comparable<Key> {
    /// The key of the gang's class. Gangs with equal keys are answered alike; one that has begun,
    /// or for which room is held, is like no other.
    public static Key of(Cluster cluster, RuntimeHistory history, Gang gang, Policies policies) {
      boolean unlike =
          cluster.reservations().contains(gang.id())
              || cluster.holds().contains(gang.id())
              || gang.boundCount() > 0;
      boolean allowed =
          policies
              .queues()
              .find(gang.queue())
              .filter(q -> q.takes(gang.id().namespace()))
              .isPresent();
      return new Key(
          gang.queue(),
          policies.priority(gang),
          unlike ? gang.id().toString() : asks(cluster, history, gang) + allowed);
    }

    /// Runs of equal members in rank order, how many of them must start, the gang's wishes and how
    /// long it is expected to run.
    private static String asks(Cluster cluster, RuntimeHistory history, Gang gang) {
      List<Member> wanting = PendingMembers.of(cluster, gang);
      LinkedHashMap<Request, Integer> numbers = new LinkedHashMap<>();
      StringBuilder text = new StringBuilder();
      int alike = 0;
      for (int i = 0; i < wanting.size(); i++) {
        alike++;
        boolean last = i + 1 == wanting.size();
        if (last || !wanting.get(i + 1).request().equals(wanting.get(i).request())) {
          int number = numbers.computeIfAbsent(wanting.get(i).request(), _ -> numbers.size());
          text.append(alike).append('x').append(number).append(' ');
          alike = 0;
        }
      }
      return text.append(numbers.keySet())
          .append(cluster.lacking(gang))
          .append(gang.constraints())
          .append(history.expected(gang))
          .toString();
    }

    /// Higher priority first; else the order has no meaning, but is the same every time and quickly
    /// found, for texts of classes have long beginnings in common.
    @Override
    public int compareTo(Key other) {
      int side = Integer.compare(other.priority, priority);
      side = side != 0 ? side : Integer.compare(asks.hashCode(), other.asks.hashCode());
      side = side != 0 || queue.equals(other.queue) ? side : queue.compareTo(other.queue);
      return side != 0 || asks.equals(other.asks) ? side : asks.compareTo(other.asks);
    }
  }

  /// What a gang needs at least to start, as far as sums can tell.
  ///
  /// @param members how many of its members at least
  /// @param gpus whole GPUs of the least of them; 0 where that one needs none, or parts of one
  /// @param gpuMilli thousandths of GPUs of all of them; 0 where nothing is known
  /// @param models on which models
  /// @param depth the depth of the domain in which they must lie, 0 for the whole cluster
  public record Need(int members, int gpus, long gpuMilli, GpuModelPreference models, int depth) {
    /// What can be said of the gang. One that has promises may give them up for others, so that
    /// nothing is known of it.
    public static Need of(Cluster cluster, Gang gang, List<Member> wanting) {
      GpuModelPreference models = gang.constraints().gpus();
      if (cluster.reservations().contains(gang.id()) || wanting.isEmpty()) {
        return new Need(0, 0, 0, models, 0);
      }
      int members = Math.clamp(cluster.lacking(gang), 1, wanting.size());
      int gpus = Integer.MAX_VALUE;
      long milli = 0;
      for (Member member : wanting.subList(0, members)) {
        gpus = Math.min(gpus, member.request().gpus());
        milli += 1000L * member.request().gpus() + member.request().gpuMilli();
      }
      return new Need(members, gpus, milli, models, depth(cluster.topology(), gang));
    }

    private static int depth(Topology topology, Gang gang) {
      int depth = topology.requiredDepth(gang.constraints().topology().required());
      return depth <= topology.depth() ? depth : 0; // nodes are no domains
    }
  }

  /// The place of a gang within its class.
  public record Age(Instant createdAt, GangId gang) implements Comparable<Age> {
    @Override
    public int compareTo(Age other) {
      int side = createdAt.compareTo(other.createdAt);
      return side == 0 ? gang.compareTo(other.gang) : side;
    }
  }

  /// The oldest gang; a class is never empty.
  public GangId first() {
    return gangs.first(_ -> true).orElseThrow();
  }

  /// Whether its gangs would start if enough came free on the nodes that there are.
  public boolean hasHope() {
    return why.main().filter(veto -> veto.remedy() == Remedy.NEVER).isEmpty();
  }

  /// Whether room is what its gangs lack: if others left, they might start.
  public boolean needsRoom() {
    return why.main()
        .map(Veto::remedy)
        .filter(remedy -> remedy == Remedy.EVICTION || remedy == Remedy.RELEASE)
        .isPresent();
  }

  /// Whether one of the nodes would take a member, as [#findsRoomOn] says.
  public boolean findsRoomOnAny(List<NodeState> nodes) {
    for (NodeState node : nodes) {
      if (findsRoomOn(node)) {
        return true;
      }
    }
    return false;
  }

  /// Whether a node would take a member of any of the gangs and has room for it, were nothing
  /// withheld there: only then can more room on the node help them.
  public boolean findsRoomOn(NodeState node) {
    for (MemberRequirements ask : asks) {
      if (node.unpromised().covers(ask.request().resources())
          && LastingRules.veto(ask, node.node()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /// Whether this is the same kind of answer, whatever its numbers.
  public boolean isAnswered(Explanation reason) {
    return why.main().map(Object::getClass).equals(reason.main().map(Object::getClass));
  }

  public WaitClass with(Age age) {
    return new WaitClass(key, asks, need, gangs.with(age, age.gang()), why);
  }

  /// This class without the gang; empty when none is left.
  public Optional<WaitClass> without(Age age) {
    var rest = gangs.without(age);
    return rest.isEmpty()
        ? Optional.empty()
        : Optional.of(new WaitClass(key, asks, need, rest, why));
  }

  public WaitClass because(Explanation reason) {
    return new WaitClass(key, asks, need, gangs, reason);
  }
}

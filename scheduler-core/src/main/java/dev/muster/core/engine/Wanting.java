package dev.muster.core.engine;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Ask;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Wishes;
import dev.muster.core.topology.Topology;
import java.util.LinkedHashMap;
import java.util.List;

/// Which members of a gang want a place now, and whom it waits with.
final class Wanting {
  private Wanting() {}

  /// Its members that wait without a promise, in rank order, as many as may still run.
  static List<Member> of(Cluster cluster, Gang gang) {
    List<Member> wanting = cluster.unpromised(gang);
    int running = gang.runningCount(cluster.reservations().get(gang.id()));
    int most = Math.max(0, gang.maxCount() - running);
    return wanting.subList(0, Math.min(most, wanting.size()));
  }

  /// Those of them that it needs to start; of a gang that has its minimum, the next one.
  static List<Member> needed(Cluster cluster, Gang gang) {
    List<Member> wanting = of(cluster, gang);
    int least = Math.max(1, lacking(cluster, gang));
    return wanting.subList(0, Math.min(least, wanting.size()));
  }

  /// How many members the gang lacks to its minimum, over those that run, are done or have a
  /// promise.
  static int lacking(Cluster cluster, Gang gang) {
    return gang.lacking(cluster.reservations().get(gang.id()));
  }

  /// The class that the gang waits in, of itself alone.
  static WaitClass classOf(State state, Gang gang, Policies policies, Explanation why) {
    Wishes wishes = gang.wishes();
    Topology topology = state.cluster().topology();
    List<Member> wanting = of(state.cluster(), gang);
    List<Ask> asks =
        wanting.stream()
            .map(Member::request)
            .distinct()
            .map(request -> Ask.of(request, wishes, topology))
            .toList();
    WaitClass.Need need = WaitClass.Need.of(state.cluster(), gang, wanting);
    return new WaitClass(key(state, gang, policies), asks, need, SortedTable.empty(), why);
  }

  /// Gangs with equal keys are answered alike. A gang that has begun, or for which room is held, is
  /// like no other.
  static WaitClass.Key key(State state, Gang gang, Policies policies) {
    Cluster cluster = state.cluster();
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
    return new WaitClass.Key(
        gang.queue(),
        policies.priority(gang),
        unlike ? gang.id().toString() : asks(state, gang, of(cluster, gang)) + allowed);
  }

  /// Runs of equal members in rank order, how many of them must start, the gang's wishes and how
  /// long it is expected to run.
  private static String asks(State state, Gang gang, List<Member> wanting) {
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
        .append(lacking(state.cluster(), gang))
        .append(gang.wishes())
        .append(state.runs().expected(gang))
        .toString();
  }
}

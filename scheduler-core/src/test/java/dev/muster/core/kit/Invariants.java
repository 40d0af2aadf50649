package dev.muster.core.kit;

import dev.muster.core.cluster.Account;
import dev.muster.core.cluster.Books.Position;
import dev.muster.core.cluster.Books.Stock;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Domain;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.cluster.NodeState.Occupant;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Resources;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// What must be true of every image, recomputed from scratch.
public final class Invariants {
  private Invariants() {}

  /// Throws where the image contradicts itself.
  public static void check(Cluster cluster) {
    for (NodeState node : cluster.nodes()) {
      require(
          sum(node.occupants()).equals(node.used()),
          "used is not the sum of the occupants on " + node.id());
      require(
          sum(node.promises()).equals(node.promised()),
          "promised is not the sum of the promises on " + node.id());
      require(
          node.free().plus(node.used()).plus(node.promised()).equals(node.node().allocatable()),
          "free + used + promised is not the total on " + node.id());
    }
    int promises = 0;
    for (Reservation reservation : cluster.reservations()) {
      for (Promise promise : reservation.promises()) {
        Member member =
            cluster.gang(reservation.gang()).members().get(promise.member()).orElseThrow();
        require(
            member.wantsNode(),
            "a promise is held for " + member.id() + ", which is " + member.state());
        require(
            cluster
                .nodes()
                .get(promise.node())
                .filter(n -> n.promises().contains(member.id()))
                .isPresent(),
            "the promise to " + member.id() + " is not counted on " + promise.node());
        promises++;
      }
    }
    int counted = 0;
    for (NodeState node : cluster.nodes()) {
      counted += node.promises().size();
    }
    require(
        counted == promises,
        "nodes count %d promises, reservations hold %d".formatted(counted, promises));
    checkFabric(cluster);
    checkBooks(cluster);
  }

  /// What the accounts hold is what seats and promises say; what they ask for is what complete
  /// gangs lack; what is in stock is what usable nodes have.
  private static void checkBooks(Cluster cluster) {
    TreeMap<String, Integer> held = new TreeMap<>();
    TreeMap<String, Integer> asked = new TreeMap<>();
    for (Gang gang : cluster.gangs()) {
      Optional<Position> position = cluster.books().positions().get(gang.id());
      String queue = position.map(Position::queue).orElse(gang.queue());
      require(
          gang.spec().isEmpty() || queue.equals(gang.queue()),
          gang.id() + " is accounted to " + queue);
      boolean hopes = position.filter(Position::hopeless).isEmpty();
      for (Member member : gang.members()) {
        boolean promised = cluster.promise(member).isPresent();
        int gpus = member.request().gpus();
        held.merge(queue, member.node().isPresent() || promised ? gpus : 0, Integer::sum);
        boolean lacks = gang.isComplete() && hopes && member.wantsNode() && !promised;
        asked.merge(queue, lacks ? gpus : 0, Integer::sum);
      }
    }
    held.values().removeIf(gpus -> gpus == 0);
    asked.values().removeIf(gpus -> gpus == 0);
    require(held.equals(sums(cluster, Account::inUse)), "accounts hold not " + held);
    require(held.equals(sums(cluster, a -> a.inUse(_ -> true))), "models hold not " + held);
    require(asked.equals(sums(cluster, Account::waitingGpus)), "accounts ask not for " + asked);
    checkStock(cluster);
  }

  private static Map<String, Integer> sums(Cluster cluster, ToIntFunction<Account> of) {
    TreeMap<String, Integer> sums = new TreeMap<>();
    for (String queue : cluster.books().accounts().keys()) {
      sums.put(queue, of.applyAsInt(cluster.books().account(queue)));
    }
    sums.values().removeIf(gpus -> gpus == 0);
    return sums;
  }

  private static void checkStock(Cluster cluster) {
    TreeMap<String, Stock> stock = new TreeMap<>();
    for (NodeState state : cluster.nodes()) {
      if (!state.node().cordoned() && state.node().faults().isEmpty() && state.node().gpus() > 0) {
        stock.merge(
            state.node().model().name(),
            new Stock(1, state.node().gpus(), state.freeGpus()),
            (a, b) -> new Stock(a.nodes() + b.nodes(), a.gpus() + b.gpus(), a.free() + b.free()));
      }
    }
    require(
        cluster.books().stock().keys().equals(List.copyOf(stock.keySet()))
            && cluster.books().stock().values().equals(List.copyOf(stock.values())),
        "in stock is " + cluster.books().stock() + ", not " + stock);
  }

  private static void checkFabric(Cluster cluster) {
    require(
        cluster.fabric().allNodes().size() == cluster.nodes().size(),
        "the fabric does not hold all nodes");
    for (NodeState node : cluster.fabric().allNodes()) {
      require(
          node.equals(cluster.nodes().get(node.id()).orElseThrow()),
          "the fabric is stale at " + node.id());
    }
    checkCapacity(cluster.fabric());
  }

  private static void checkCapacity(Domain domain) {
    long free = domain.allNodes().stream().mapToLong(NodeState::freeGpus).sum();
    require(
        domain.capacity().free() == free,
        "the capacity of " + domain.path() + " is not the sum of its nodes'");
    domain.children().forEach(Invariants::checkCapacity);
  }

  /// Throws unless no node gives more than it has; only where no device vanished and no stranger
  /// barged in.
  public static void checkNothingOversold(Cluster cluster) {
    for (NodeState node : cluster.nodes()) {
      require(
          node.node().allocatable().covers(node.used().plus(node.promised())),
          "oversold: " + node.id());
    }
  }

  private static Resources sum(Iterable<Occupant> shares) {
    Resources sum = Resources.NONE;
    for (Occupant share : shares) {
      sum = sum.plus(share.resources());
    }
    return sum;
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}

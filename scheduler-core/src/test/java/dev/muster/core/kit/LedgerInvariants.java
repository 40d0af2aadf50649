package dev.muster.core.kit;

import static dev.muster.core.kit.Invariants.require;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.QueueUsage.GangUsage;
import dev.muster.core.cluster.UsageLedger.ModelSupply;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// Invariants of the usage ledger, recomputed from members, promises, holds and nodes.
final class LedgerInvariants {
  private LedgerInvariants() {}

  /// Accounts equal pod locations and promises, without pods that leave a node which is not ready:
  /// these keep their seat and not the account. Demand equals what complete gangs lack. Stock
  /// equals the capacity of usable nodes.
  static void check(Cluster cluster) {
    TreeMap<String, Integer> held = new TreeMap<>();
    TreeMap<String, Integer> asked = new TreeMap<>();
    for (Gang gang : cluster.gangs()) {
      Optional<GangUsage> gangUsage = cluster.ledger().gangUsages().get(gang.id());
      String queue = gangUsage.map(GangUsage::queue).orElse(gang.queue());
      require(queue.equals(gang.queue()), gang.id() + " is accounted to " + queue);
      require(
          cluster.namespaces().charged(queue, gang.id().namespace()).equals(queue),
          gang.id() + " is of a namespace that " + queue + " refuses");
      boolean hopes = gangUsage.filter(GangUsage::hopeless).isEmpty();
      int more = gang.maxCount();
      more -= gang.members().count(Member::isBound);
      more -= gang.members().count(m -> cluster.promise(m).isPresent());
      for (Member member : gang.members()) {
        int gpus = isCharged(cluster, member) ? member.request().gpus() : 0;
        held.merge(queue, gpus, Integer::sum);
      }
      for (Member member : gang.waiting()) {
        boolean lacks = gang.isComplete() && hopes && cluster.promise(member).isEmpty();
        asked.merge(queue, lacks && more-- > 0 ? member.request().gpus() : 0, Integer::sum);
      }
    }
    held.values().removeIf(gpus -> gpus == 0);
    asked.values().removeIf(gpus -> gpus == 0);
    require(held.equals(sums(cluster, QueueUsage::inUse)), "accounts hold not " + held);
    require(asked.equals(sums(cluster, QueueUsage::waitingGpus)), "accounts ask not for " + asked);
    checkHoles(cluster);
    checkStock(cluster);
  }

  /// Accounts keep the places of lost members, by GPU model, as far as these are not charged.
  private static void checkHoles(Cluster cluster) {
    TreeMap<String, Integer> kept = new TreeMap<>();
    List<Hold> holes = new ArrayList<>(cluster.holds().values());
    holes.removeIf(hold -> hold.kind() != Hold.Kind.HOLE);
    for (Hold hold : holes) {
      for (var share : hold.shares().entries()) {
        int gpus = share.value().needs().gpus();
        for (MemberId pod : share.value().leavers()) {
          Member left = cluster.gang(hold.gang()).members().get(pod).orElse(null);
          gpus -= left != null && isCharged(cluster, left) ? left.request().gpus() : 0;
        }
        var model = cluster.nodes().get(share.key()).map(node -> node.node().model().name());
        kept.merge(hold.gang() + " " + model.orElse(""), Math.max(0, gpus), Integer::sum);
      }
    }
    kept.values().removeIf(gpus -> gpus == 0);
    TreeMap<String, Integer> booked = new TreeMap<>();
    SortedTable<String, SortedTable<String, Integer>> sums = SortedTable.empty();
    for (var gang : cluster.ledger().gangUsages().entries()) {
      for (var gpus : gang.value().kept().entries()) {
        booked.put(gang.key() + " " + gpus.key(), gpus.value());
        var sum = sums.get(gang.value().queue()).orElse(SortedTable.empty());
        int more = sum.get(gpus.key()).orElse(0) + gpus.value();
        sums = sums.with(gang.value().queue(), sum.with(gpus.key(), more));
      }
    }
    require(booked.equals(kept), "gangs keep " + booked + ", not " + kept);
    for (String queue : cluster.ledger().accounts().keys()) {
      QueueUsage account = cluster.ledger().account(queue);
      var sum = sums.get(queue).orElse(SortedTable.empty());
      require(account.kept().equals(sum), queue + " keeps " + account.kept() + ", not " + sum);
      require(
          account.usage().held() == account.charged(_ -> true),
          "the share of " + queue + " counts " + account.usage().held());
    }
  }

  private static boolean isCharged(Cluster cluster, Member member) {
    boolean seated = member.node().isPresent() && !isStranded(cluster, member);
    return seated || cluster.promise(member).isPresent();
  }

  private static boolean isStranded(Cluster cluster, Member member) {
    return member.state() instanceof MemberState.Leaving(var node, _)
        && node.flatMap(cluster.nodes()::get).filter(n -> n.node().isReady()).isEmpty();
  }

  private static Map<String, Integer> sums(Cluster cluster, ToIntFunction<QueueUsage> of) {
    TreeMap<String, Integer> sums = new TreeMap<>();
    for (String queue : cluster.ledger().accounts().keys()) {
      sums.put(queue, of.applyAsInt(cluster.ledger().account(queue)));
    }
    sums.values().removeIf(gpus -> gpus == 0);
    return sums;
  }

  private static void checkStock(Cluster cluster) {
    TreeMap<String, ModelSupply> supply = new TreeMap<>();
    for (NodeState state : cluster.nodes()) {
      if (!state.node().cordoned() && state.node().faults().isEmpty() && state.node().gpus() > 0) {
        supply.merge(
            state.node().model().name(),
            new ModelSupply(1, state.node().gpus(), state.freeGpus() + state.withheld().gpus()),
            (a, b) ->
                new ModelSupply(a.nodes() + b.nodes(), a.gpus() + b.gpus(), a.free() + b.free()));
      }
    }
    require(
        cluster.ledger().supply().keys().equals(List.copyOf(supply.keySet()))
            && cluster.ledger().supply().values().equals(List.copyOf(supply.values())),
        "in stock is " + cluster.ledger().supply() + ", not " + supply);
  }
}

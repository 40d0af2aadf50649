package dev.muster.core.kit;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.PodLocations.PodLocation;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.FreeCapacity;
import dev.muster.core.node.MaxFreeCapacity;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.core.node.SharedGpus;
import dev.muster.core.node.TopologyDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// Invariants of every image, recomputed from scratch.
public final class Invariants {
  private Invariants() {}

  /// Throws where the image contradicts itself.
  public static void check(Cluster cluster) {
    for (NodeState node : cluster.nodes()) {
      require(
          sum(node.occupants()).equals(node.bound().sum()),
          "used is not the sum of the occupants on " + node.id());
      require(
          sum(node.promises()).equals(node.promised()),
          "promised is not the sum of the promises on " + node.id());
      require(
          node.free()
              .plus(node.bound().sum())
              .plus(node.promised())
              .plus(node.withheld().resources())
              .equals(node.node().allocatable()),
          "free + used + promised + withheld is not the total on " + node.id());
      checkGpus(node);
    }
    checkMix(cluster);
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
    LedgerInvariants.check(cluster);
    checkCounts(cluster);
  }

  /// Each whole GPU or part is allocated once, as far as pods use it.
  private static void checkGpus(NodeState node) {
    int whole = gpus(node.occupants()) + gpus(node.promises());
    require(
        whole == node.usedGpus() + node.promisedGpus(),
        "the whole GPUs are not the sum of the shares on " + node.id());
    SortedTable<MemberId, NodeShare> all = node.promises();
    for (MemberId pod : node.occupants().keys()) {
      all = all.with(pod, node.occupants().get(pod).orElseThrow());
    }
    List<Integer> used = new ArrayList<>(Collections.nCopies(node.sharedGpus().used().size(), 0));
    for (MemberId pod : all.keys()) {
      int milli = all.get(pod).orElseThrow().gpuMilli();
      var piece = node.sharedGpus().pieces().get(pod);
      require(
          milli == piece.map(SharedGpus.Piece::milli).orElse(0),
          "%s has another part of a GPU than it takes on %s".formatted(pod, node.id()));
      piece.ifPresent(p -> used.set(p.gpu(), used.get(p.gpu()) + p.milli()));
    }
    require(
        used.equals(node.sharedGpus().used()), "the shared GPUs are not the sum on " + node.id());
    require(used.stream().allMatch(milli -> milli <= 1000), "oversold a GPU on " + node.id());
    long shared = used.stream().filter(milli -> milli > 0).count();
    require(
        node.freeGpus()
            == Math.max(0, node.node().gpus() - whole - shared) - node.withheld().gpus(),
        "the free GPUs are not the rest on " + node.id());
  }

  private static int gpus(Iterable<NodeShare> shares) {
    int gpus = 0;
    for (NodeShare share : shares) {
      gpus += share.gpus();
    }
    return gpus;
  }

  private static void checkMix(Cluster cluster) {
    int members = 0;
    for (Gang gang : cluster.gangs()) {
      for (Member member : gang.members()) {
        members += member.request().wantsGpu() ? 1 : 0;
      }
    }
    int counted = 0;
    for (int count : cluster.mix().counts()) {
      counted += count;
    }
    require(counted == members, "the mix counts %d of %d members".formatted(counted, members));
  }

  private static void checkCounts(Cluster cluster) {
    for (Gang gang : cluster.gangs()) {
      require(
          gang.memberCounts()
              .equals(new Gang(gang.id(), gang.spec(), gang.members()).memberCounts()),
          "the counts are wrong: " + gang.memberCounts());
    }
    for (var pod : cluster.locations().byPod().entries()) {
      PodLocation location = pod.value();
      var pods =
          cluster
              .nodes()
              .get(location.node())
              .map(NodeState::occupants)
              .or(() -> cluster.locations().unhoused().get(location.node()))
              .orElse(SortedTable.empty());
      require(
          pods.get(pod.key()).equals(Optional.of(location.share())),
          "the seat of " + pod.key() + " is not counted on " + location.node());
    }
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

  private static void checkCapacity(TopologyDomain domain) {
    long free = domain.allNodes().stream().mapToLong(NodeState::freeGpus).sum();
    require(
        domain.capacity().free() == free,
        "the capacity of " + domain.path() + " is not the sum of its nodes'");
    SortedTable<FreeCapacity, Integer> vacancies = SortedTable.empty();
    for (NodeState node : domain.allNodes()) {
      vacancies =
          vacancies.update(node.freeCapacity(), (_, count) -> Optional.of(count.orElse(0) + 1));
    }
    require(
        domain.capacity().vacancies().equals(vacancies),
        "the vacancies of " + domain.path() + " are not those of its nodes");
    for (int depth = domain.path().depth() + 1; !domain.atDepth(depth).isEmpty(); depth++) {
      checkPeak(domain, depth);
    }
    domain.children().forEach(Invariants::checkCapacity);
  }

  /// Too low a maximum would refuse feasible gangs. Too high a maximum causes a useless search.
  private static void checkPeak(TopologyDomain domain, int depth) {
    MaxFreeCapacity maxFree = domain.maxFree(depth);
    long milli = most(domain, depth, n -> 1000L * n.freeGpus() + sharedFree(n));
    require(
        maxFree.freeMilli() == milli, "the peak of %s has not %d".formatted(domain.path(), milli));
    for (int size = 1; size <= 9; size++) {
      int gpus = size;
      long members = most(domain, depth, n -> n.freeGpus() / gpus);
      require(
          maxFree.holds(gpus) == members,
          "the peak of %s holds not %d x %d".formatted(domain.path(), members, gpus));
    }
  }

  private static long most(TopologyDomain domain, int depth, ToLongFunction<NodeState> of) {
    return domain.atDepth(depth).stream()
        .mapToLong(d -> d.allNodes().stream().mapToLong(of).sum())
        .max()
        .orElse(0);
  }

  private static long sharedFree(NodeState node) {
    long milli = 0;
    for (int free : node.sharedFree()) {
      milli += free;
    }
    return milli;
  }

  /// Throws unless no node gives more than it has; only where no device vanished and no stranger
  /// barged in.
  public static void checkNothingOversold(Cluster cluster) {
    for (NodeState node : cluster.nodes()) {
      require(
          node.node().allocatable().covers(node.bound().sum().plus(node.promised())),
          "oversold: " + node.id());
      require(
          node.usedGpus() + node.promisedGpus() + node.sharedGpus().gpus() <= node.node().gpus(),
          "oversold GPUs: " + node.id());
    }
  }

  private static Resources sum(Iterable<NodeShare> shares) {
    Resources sum = Resources.NONE;
    for (NodeShare share : shares) {
      sum = sum.plus(share.resources());
    }
    return sum;
  }

  static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}

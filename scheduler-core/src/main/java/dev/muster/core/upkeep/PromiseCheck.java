package dev.muster.core.upkeep;

import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cluster.UsageLedger.PodUsage;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A promise check drops the promises that nodes cannot keep, so that the members are placed again.
final class PromiseCheck {
  private final ReservationEdits edits;

  PromiseCheck(ReservationEdits edits) {
    this.edits = edits;
  }

  /// Drops the promises that the node cannot keep any more.
  void node(NodeId id) {
    Optional<NodeState> state = edits.cluster().nodes().get(id);
    state.ifPresent(node -> promisors(node).forEach((pod, gangs) -> check(gangs, pod, id)));
  }

  private void check(List<GangId> gangs, MemberId pod, NodeId id) {
    // one promise less may be enough for the others
    NodeState state = edits.cluster().nodes().get(id).orElseThrow();
    for (GangId gang : gangs) {
      promise(gang, pod, id)
          .filter(_ -> !ReservationRecovery.bears(edits.cluster(), state, gang, pod))
          .ifPresent(promise -> drop(gang, promise));
    }
  }

  /// Drops the promises on a node that is gone.
  void lost(NodeId id) {
    Optional<NodeState> state = edits.before().nodes().get(id);
    state.ifPresent(node -> promisors(node).forEach((pod, gangs) -> lost(gangs, pod, id)));
  }

  private void lost(List<GangId> gangs, MemberId pod, NodeId id) {
    for (GangId gang : gangs) {
      promise(gang, pod, id).ifPresent(promise -> drop(gang, promise));
    }
  }

  private Optional<Promise> promise(GangId gang, MemberId pod, NodeId node) {
    return edits
        .of(gang)
        .flatMap(held -> held.promises().get(pod))
        .filter(promise -> promise.node().equals(node));
  }

  private void drop(GangId gang, Promise promise) {
    edits.drop(edits.of(gang).orElseThrow(), promise);
  }

  /// Returns the gangs that may have a promise on the node, by pod. The usage ledger knows the gang
  /// of each pod with GPUs. For other pods, which are rare, all reservations are read once.
  private SortedMap<MemberId, List<GangId>> promisors(NodeState node) {
    SortedTable<MemberId, PodUsage> usages = edits.cluster().ledger().podUsages();
    SortedMap<MemberId, List<GangId>> promisors = new TreeMap<>();
    for (MemberId pod : node.promises().keys()) {
      usages.get(pod).ifPresent(usage -> promisors.put(pod, List.of(usage.gang())));
    }
    boolean all = promisors.size() == node.promises().size();
    for (Reservation held : all ? List.<Reservation>of() : edits.cluster().reservations()) {
      for (Promise promise : held.promises()) {
        if (promise.node().equals(node.id()) && !usages.contains(promise.member())) {
          promisors.computeIfAbsent(promise.member(), _ -> new ArrayList<>()).add(held.gang());
        }
      }
    }
    return promisors;
  }

  /// Drops promises that depend on a node which moved to another domain. Only gangs that must stay
  /// inside one domain are concerned: all their promises if a member runs on the node, else those
  /// on the node.
  void moved(NodeId node) {
    DomainPath path = edits.cluster().nodes().get(node).orElseThrow().path();
    if (!edits.before().nodes().contains(node, old -> !old.path().equals(path))) {
      return;
    }
    for (Reservation held : edits.cluster().reservations()) {
      Gang gang = edits.cluster().gang(held.gang());
      boolean binding = gang.constraints().topology().isBinding();
      boolean near = gang.bound().stream().anyMatch(m -> m.isOn(node));
      for (Promise promise : held.promises()) {
        if (binding && (near || promise.node().equals(node))) {
          drop(gang.id(), promise);
        }
      }
    }
  }
}

package dev.muster.core.upkeep;

import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.cluster.UsageLedger;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import dev.muster.core.topology.DomainPath;
import java.util.Optional;

/// A promise check drops the promises that nodes cannot keep, so that the members are placed again.
final class PromiseCheck {
  private final ReservationEdits edits;

  PromiseCheck(ReservationEdits edits) {
    this.edits = edits;
  }

  /// Drops the promises that the node cannot keep any more.
  void node(NodeId id) {
    Optional<NodeState> state = edits.cluster().nodes().get(id);
    if (state.isEmpty() || state.get().promises().isEmpty()) {
      return;
    }
    for (MemberId pod : state.get().promises().keys()) {
      check(
          pod,
          edits
              .cluster()
              .nodes()
              .get(id)
              .orElseThrow()); // one promise less may be enough for the others
    }
  }

  private void check(MemberId pod, NodeState state) {
    for (Reservation held : promisors(pod)) {
      promise(held, pod, state.id())
          .filter(_ -> !ReservationRecovery.bears(edits.cluster(), state, held.gang(), pod))
          .ifPresent(promise -> edits.drop(held, promise));
    }
  }

  private static Optional<Promise> promise(Reservation held, MemberId pod, NodeId node) {
    return held.promises().get(pod).filter(promise -> promise.node().equals(node));
  }

  /// Returns the reservations that may have a promise for the pod. The usage ledger knows the gang
  /// of each pod with GPUs; other pods are rare.
  private Iterable<Reservation> promisors(MemberId pod) {
    Optional<UsageLedger.PodUsage> podUsage = edits.cluster().ledger().podUsages().get(pod);
    return podUsage.isPresent()
        ? edits.of(podUsage.get().gang()).stream().toList()
        : edits.cluster().reservations();
  }

  void lost(NodeId node) {
    for (MemberId pod :
        edits
            .before()
            .nodes()
            .get(node)
            .map(NodeState::promises)
            .orElse(SortedTable.empty())
            .keys()) {
      for (Reservation held : promisors(pod)) {
        promise(held, pod, node).ifPresent(promise -> edits.drop(held, promise));
      }
    }
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
          edits.drop(edits.of(gang.id()).orElseThrow(), promise);
        }
      }
    }
  }
}

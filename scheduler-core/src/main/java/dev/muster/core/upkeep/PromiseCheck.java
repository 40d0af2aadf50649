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

/// A promise check drops the promises that nodes cannot keep any more, so that they are replanned.
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
              .orElseThrow()); // one promise less may be enough for the rest
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

  /// The reservations that may promise something to the pod. The books know the gang of each that
  /// asks for GPUs; others are rare.
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

  /// A node that lies in another domain now: of a gang that must stay inside one, what is promised
  /// there is planned anew, or all of it where a mate runs there.
  void moved(NodeId node) {
    DomainPath path = edits.cluster().nodes().get(node).orElseThrow().path();
    if (edits.before().nodes().get(node).filter(old -> !old.path().equals(path)).isEmpty()) {
      return;
    }
    for (Reservation held : edits.cluster().reservations()) {
      Gang gang = edits.cluster().gang(held.gang());
      boolean binding = gang.constraints().topology().isBinding();
      boolean near = gang.bound().stream().anyMatch(m -> m.node().filter(node::equals).isPresent());
      for (Promise promise : held.promises()) {
        if (binding && (near || promise.node().equals(node))) {
          edits.drop(edits.of(gang.id()).orElseThrow(), promise);
        }
      }
    }
  }
}

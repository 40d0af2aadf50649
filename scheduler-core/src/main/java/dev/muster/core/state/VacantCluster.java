package dev.muster.core.state;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.NodeState;
import java.util.List;
import java.util.Optional;

/// The vacant cluster is the nodes without anything on them, with answers of placement searches.
///
/// A gang that finds no place here can never start on these nodes. All pods are taken away, also
/// those of other schedulers and of DaemonSets: Muster does not know which of them stay for good.
///
/// Gangs of equal shape share an answer. Answers are dropped when a node changes, comes or leaves,
/// not when pods do. So a gang that waits costs one search for each change of the nodes at most.
///
/// @param nodes the nodes from which the image was made
/// @param image those nodes without anything on them; absent before the first question
/// @param answers by shape, why no place exists; an absent reason means that one does
public record VacantCluster(
    SortedTable<NodeId, NodeState> nodes,
    Optional<Cluster> image,
    SortedTable<String, Optional<Veto>> answers) {
  /// The limit on kept answers. It bounds the memory for shapes of gangs that are long gone. A
  /// shape and its answer take a few hundred bytes, and at most about 8 KiB.
  private static final int MOST = 5_000;

  /// Nothing was asked yet.
  public static final VacantCluster NONE =
      new VacantCluster(SortedTable.empty(), Optional.empty(), SortedTable.empty());

  /// Returns a text that is equal for gangs with equal answers. It stands for their members in rank
  /// order, the topology and the GPU models.
  public static String shape(List<Member> members, GangConstraints constraints) {
    return Shape.of(
        Shape.runs(members).append(constraints.topology()).append(constraints.gpus()).toString());
  }

  /// Returns this cluster for the present nodes.
  @SuppressWarnings("ReferenceEquality") // unchanged nodes are one object
  public VacantCluster asOf(Cluster now) {
    if (image.isPresent() && nodes == now.nodes()) {
      return this;
    }
    Cluster before = image.orElseGet(() -> Cluster.empty(now.topology()));
    Cluster after = WhatIf.vacant(now, nodes, before);
    return after == before && image.isPresent()
        ? new VacantCluster(now.nodes(), image, answers)
        : new VacantCluster(now.nodes(), Optional.of(after), SortedTable.empty());
  }

  /// Returns this cluster with one more answer.
  public VacantCluster with(String shape, Optional<Veto> answer) {
    SortedTable<String, Optional<Veto>> kept =
        answers.size() < MOST ? answers : SortedTable.empty();
    return new VacantCluster(nodes, image, kept.with(shape, answer));
  }
}

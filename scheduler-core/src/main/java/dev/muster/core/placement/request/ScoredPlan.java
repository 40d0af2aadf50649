package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Locality;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A candidate of the search: a way to place the gang, with its score.
public record ScoredPlan(PlacementPlan plan, Score score) {
  public boolean isBetterThan(ScoredPlan other) {
    return score.compareTo(other.score) < 0;
  }

  /// Returns the candidate for this plan and its computed cost.
  public static ScoredPlan of(
      PlacementRequest query, ModelFilter models, PlacementPlan plan, long[] cost) {
    long slowness = slowness(query, plan);
    Optional<String> model = models.only();
    long rank = model.isPresent() ? query.constraints().gpus().rank(model.get()) : 0;
    CostLayout terms = query.terms();
    List<Long> rest = new ArrayList<>();
    rest.add(terms.unmet(cost));
    rest.add(slowness);
    rest.add(cost[terms.leftover()]);
    rest.addAll(terms.innerSpans(cost));
    rest.add(cost[terms.freeGpus()]);
    rest.add(cost[terms.slack()]);
    return new ScoredPlan(plan, new Score(rank, terms.spans(cost), rest));
  }

  /// Returns the slowness of the narrowest link between the members.
  static long slowness(PlacementRequest query, PlacementPlan plan) {
    List<Locality.Segment> parts = new ArrayList<>();
    for (PlacementPlan.NodeCount part : plan.parts()) {
      parts.add(part(query.kindCounts(), part));
    }
    return -query.topology().locality().score(parts);
  }

  private static Locality.Segment part(KindCounts kindCounts, PlacementPlan.NodeCount part) {
    NodeState node = part.node();
    int gpus = 0;
    for (int kind = 0; kind < part.taken().size(); kind++) {
      gpus += kindCounts.kinds().get(kind).gpus() * part.taken().get(kind);
    }
    return new Locality.Segment(
        node.id().name(), node.path(), node.machine(), gpus, node.freeGpuSet());
  }
}

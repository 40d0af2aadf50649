package dev.muster.core.placement.request;

import dev.muster.core.node.NodeState;
import dev.muster.core.topology.Locality;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A way to place the gang, and how good it is: a candidate of the search.
public record ScoredPlan(Plan plan, Score score) {
  public boolean isBetterThan(ScoredPlan other) {
    return score.compareTo(other.score) < 0;
  }

  /// The candidate with this plan and the cost that was found for it.
  public static ScoredPlan of(Question question, ModelFilter models, Plan plan, long[] cost) {
    long slowness = slowness(question, plan);
    Optional<String> model = models.only();
    long rank = model.isPresent() ? question.wishes().gpus().rank(model.get()) : 0;
    CostLayout terms = question.terms();
    List<Long> rest =
        List.of(slowness, cost[terms.leftover()], cost[terms.room()], cost[terms.slack()]);
    return new ScoredPlan(plan, new Score(rank, terms.spans(cost), rest));
  }

  /// The slowness of the narrowest link between the members.
  static long slowness(Question question, Plan plan) {
    List<Locality.Part> parts = new ArrayList<>();
    for (Plan.Part part : plan.parts()) {
      parts.add(part(question.needs(), part));
    }
    return -question.topology().locality().score(parts);
  }

  private static Locality.Part part(Needs needs, Plan.Part part) {
    NodeState node = part.node();
    int gpus = 0;
    for (int kind = 0; kind < part.taken().size(); kind++) {
      gpus += needs.kinds().get(kind).gpus() * part.taken().get(kind);
    }
    return new Locality.Part(
        node.id().name(), node.path(), node.machine(), gpus, node.freeGpuSet());
  }
}

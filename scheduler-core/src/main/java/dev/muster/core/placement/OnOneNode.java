package dev.muster.core.placement;

import dev.muster.core.cluster.Domain;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.gang.Resources;
import dev.muster.core.topology.MachineModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The best single node for all members together.
///
/// Domains none of whose nodes has GPUs enough are passed over; of nodes that are equally free the
/// leftover is worked out once; and the lasting rules are asked only about a node that would be the
/// best so far.
final class OnOneNode {
  private record NodeClass(
      String model,
      Resources free,
      int gpus,
      List<Integer> shared,
      Optional<MachineModel> machine,
      boolean idle) {}

  /// @param leftover by how much fragmentation grows
  /// @param slowness of the narrowest link
  /// @param slack the free GPUs of the node
  private record Fit(boolean fits, long slowness, long leftover, int slack) {
    static final Fit NONE = new Fit(false, 0, 0, 0);
  }

  private final Question question;
  private final Models models;
  private final Needs needs;
  private final Resources resources;
  private final long gpus;
  private final Map<NodeClass, Fit> known = new LinkedHashMap<>();
  private Optional<NodeState> best = Optional.empty();
  private Fit bestFit = Fit.NONE;
  private long bestRoom;

  private OnOneNode(Question question, Models models) {
    this.question = question;
    this.models = models;
    this.needs = question.needs();
    this.resources = needs.resources();
    this.gpus = needs.gpus();
  }

  /// The best node of those in a domain.
  static Optional<Candidate> in(Domain domain, Question question, Models models) {
    OnOneNode search = new OnOneNode(question, models);
    search.visit(domain);
    return search.best.map(search::candidate);
  }

  private void visit(Domain domain) {
    if (mayHold(domain)) {
      for (NodeState node : domain.nodes()) {
        look(node, node.path().isLabelled() ? domain.capacity().free() : node.freeGpus());
      }
      domain.children().forEach(this::visit);
    }
  }

  private boolean mayHold(Domain domain) {
    return gpus > 0
        ? models.holds(domain.capacity(), (int) Math.min(Integer.MAX_VALUE, gpus)) > 0
        : question.mayHold(domain.capacity(), models);
  }

  /// One node.
  static Optional<Candidate> at(NodeState node, Question question, Models models) {
    OnOneNode search = new OnOneNode(question, models);
    search.look(node, 0);
    return search.best.map(search::candidate);
  }

  private void look(NodeState node, long room) {
    if (node.freeGpus() < gpus) {
      return;
    }
    Fit fit = known.computeIfAbsent(classOf(node), _ -> fit(node));
    if (fit.fits && (best.isEmpty() || isBetter(fit, room)) && isTaken(node)) {
      best = Optional.of(node);
      bestFit = fit;
      bestRoom = room;
    }
  }

  private boolean isBetter(Fit fit, long room) {
    if (fit.slowness != bestFit.slowness) {
      return fit.slowness < bestFit.slowness;
    }
    if (fit.leftover != bestFit.leftover) {
      return fit.leftover < bestFit.leftover;
    }
    return room != bestRoom ? room < bestRoom : fit.slack < bestFit.slack;
  }

  private boolean isTaken(NodeState node) {
    boolean allowed =
        question
            .slicing()
            .map(cut -> cut.allows(cut.states().all(), Slicing.place(node, cut.depth())))
            .orElse(true);
    for (int kind = 0; kind < needs.kinds().size() && allowed; kind++) {
      allowed = models.takes(node, needs.kinds().get(kind)) && question.rules().takes(node, kind);
    }
    return allowed;
  }

  private static NodeClass classOf(NodeState node) {
    return new NodeClass(
        node.node().model().name(),
        node.free(),
        node.freeGpus(),
        node.sharedFree(),
        node.machine(),
        node.isIdle());
  }

  private Fit fit(NodeState node) {
    Space space = Space.on(node, question.demand());
    String model = node.node().model().name();
    long before = question.fragmentation().of(space, model);
    boolean fits = node.free().covers(resources);
    for (int kind = 0; kind < needs.kinds().size() && fits; kind++) {
      int count = question.demand().count(kind);
      fits = space.fill(kind, count) == count;
    }
    return fits
        ? new Fit(
            true,
            Candidate.slowness(question, plan(node)),
            question.fragmentation().of(space, model) - before,
            node.freeGpus())
        : Fit.NONE;
  }

  private Plan plan(NodeState node) {
    Plan plan = new Plan();
    plan.add(node, needs.counts());
    return plan;
  }

  private Candidate candidate(NodeState node) {
    Terms terms = question.terms();
    long[] cost = new long[terms.words()];
    for (int depth = 1; depth <= terms.levels() + 1; depth++) {
      terms.add(cost, 0, depth, question.mates().areIn(Slicing.place(node, depth)) ? 0 : 1);
    }
    cost[terms.leftover()] = bestFit.leftover;
    cost[terms.room()] = bestRoom;
    cost[terms.slack()] = bestFit.slack;
    return Candidate.of(question, models, plan(node), cost);
  }
}

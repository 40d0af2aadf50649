package dev.muster.core.placement.greedy;

import dev.muster.core.gang.Member;
import dev.muster.core.node.Domain;
import dev.muster.core.node.NodeState;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.Needs;
import dev.muster.core.placement.request.Offer;
import dev.muster.core.placement.request.Plan;
import dev.muster.core.placement.request.Question;
import dev.muster.core.placement.request.ScoredPlan;
import dev.muster.core.placement.request.Slicing;
import dev.muster.core.placement.request.Space;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Places gangs of so many kinds of members that not all ways can be worked through: greedily, and
/// where that finds no room, by trial.
///
/// Slices are put one after the other, those with the most GPUs first, into the first domain of
/// their level that holds them beside those that it has; where one has no room, the last before it
/// are moved, [#MOVES] times at most.
public final class Greedy {
  private static final int MOVES = 100;

  private final Question question;
  private final ModelFilter models;

  private Greedy(Question question, ModelFilter models) {
    this.question = question;
    this.models = models;
  }

  /// A way to place all members in the domain, if one was found.
  public static Optional<ScoredPlan> candidate(Domain domain, Question question, ModelFilter models) {
    Greedy greedy = new Greedy(question, models);
    Site site = Site.of(domain, greedy::offer);
    return greedy.plan(site).map(plan -> ScoredPlan.of(question, models, plan, greedy.cost(plan)));
  }

  private Optional<Offer> offer(NodeState node) {
    List<Boolean> takes = new ArrayList<>();
    for (int kind = 0; kind < question.demand().kinds(); kind++) {
      takes.add(
          models.takes(node, question.demand().kind(kind)) && question.rules().takes(node, kind));
    }
    return takes.contains(true)
        ? Optional.of(new Offer(node, question.demand(), takes))
        : Optional.empty();
  }

  private Optional<Plan> plan(Site site) {
    Optional<Slicing> cut = question.slicing().filter(s -> s.depth() > site.path().depth());
    if (cut.isPresent()) {
      return sliced(site, cut.get());
    }
    boolean allowed =
        question
            .slicing()
            .map(s -> s.allows(s.states().all(), site.path().upTo(s.depth())))
            .orElse(true);
    return allowed ? packing(site, question.needs()).map(Greedy::plan) : Optional.empty();
  }

  private static Optional<Packing> packing(Site site, Needs needs) {
    return Optional.of(Packing.into(site, needs))
        .filter(Packing::isWhole)
        .or(() -> ExactPacking.into(site, needs));
  }

  private static Plan plan(Packing packing) {
    Plan plan = new Plan();
    add(packing, plan);
    return plan;
  }

  private static void add(Packing packing, Plan plan) {
    List<Packing.Part> parts = new ArrayList<>(packing.parts());
    parts.sort(Comparator.comparing(part -> part.node().place()));
    for (Packing.Part part : parts) {
      plan.add(part.node().offer().orElseThrow().node(), part.taken());
    }
  }

  // ---- Slices ----

  /// A domain of slices being filled, and what became of each number of slices of each sort there.
  private static final class Bin {
    private final Site site;
    private final List<Integer> slices;
    private final Map<List<Integer>, Optional<Packing>> packings = new LinkedHashMap<>();

    Bin(Site site, int sorts) {
      this.site = site;
      this.slices = new ArrayList<>(Collections.nCopies(sorts, 0));
    }

    void add(int sort, int count) {
      slices.set(sort, slices.get(sort) + count);
    }
  }

  private Optional<Plan> sliced(Site site, Slicing cut) {
    List<Bin> bins =
        site.atDepth(cut.depth()).stream().map(s -> new Bin(s, cut.sorts().size())).toList();
    List<Integer> slices = new ArrayList<>(); // the sort of each
    for (int sort = 0; sort < cut.sorts().size(); sort++) {
      slices.addAll(Collections.nCopies(cut.states().limit(sort), sort));
    }
    slices.sort(Comparator.comparingLong(sort -> -gpuMilli(cut.sorts().get(sort))));
    if (!fill(bins, slices, cut)) {
      return Optional.empty();
    }
    Plan plan = new Plan();
    for (Bin bin : bins) {
      if (bin.slices.stream().anyMatch(count -> count > 0)) {
        plan.open(bin.slices);
        add(packing(bin, cut).orElseThrow(), plan);
      }
    }
    return Optional.of(plan);
  }

  private static long gpuMilli(Slicing.Sort sort) {
    return sort.slices().getFirst().stream()
        .map(Member::request)
        .mapToLong(asked -> 1000L * asked.gpus() + asked.gpuMilli())
        .sum();
  }

  /// Depth first over the slices. Those of one sort are interchangeable: none goes to a bin before
  /// that of the last.
  private boolean fill(List<Bin> bins, List<Integer> slices, Slicing cut) {
    int[] taken = new int[slices.size()];
    int slice = 0;
    int from = 0;
    int moves = 0;
    while (slice < taken.length) {
      int sort = slices.get(slice);
      int bin = first(bins, from, sort, cut);
      if (bin < bins.size()) {
        taken[slice] = bin;
        slice++;
        from = slice < taken.length && slices.get(slice) == sort ? bin : 0;
      } else if (slice == 0 || ++moves > MOVES) {
        return false;
      } else {
        slice--;
        bins.get(taken[slice]).add(slices.get(slice), -1);
        from = taken[slice] + 1;
      }
    }
    return true;
  }

  /// The first bin that takes one more slice of the sort, and puts it there; behind the last one if
  /// none does.
  private int first(List<Bin> bins, int from, int sort, Slicing cut) {
    Optional<DomainPath> pin = cut.sorts().get(sort).pin();
    for (int i = from; i < bins.size(); i++) {
      Bin bin = bins.get(i);
      if (pin.isEmpty() || pin.get().equals(bin.site.place())) {
        bin.add(sort, 1);
        if (packing(bin, cut).isPresent()) {
          return i;
        }
        bin.add(sort, -1);
      }
    }
    return bins.size();
  }

  private Optional<Packing> packing(Bin bin, Slicing cut) {
    return bin.packings.computeIfAbsent(
        List.copyOf(bin.slices), slices -> packing(bin.site, needs(cut, slices)));
  }

  private Needs needs(Slicing cut, List<Integer> slices) {
    List<Integer> counts = new ArrayList<>(Collections.nCopies(question.demand().kinds(), 0));
    for (int sort = 0; sort < slices.size(); sort++) {
      Needs one = Needs.of(cut.sorts().get(sort).slices().getFirst());
      for (int kind = 0; kind < counts.size(); kind++) {
        int at = one.kinds().indexOf(question.demand().kind(kind));
        int count = at < 0 ? 0 : one.counts().get(at);
        counts.set(kind, counts.get(kind) + slices.get(sort) * count);
      }
    }
    return new Needs(question.needs().kinds(), counts);
  }

  // ---- What it costs ----

  private long[] cost(Plan plan) {
    CostLayout terms = question.terms();
    long[] cost = new long[terms.words()];
    for (int depth = 1; depth <= terms.levels() + 1; depth++) {
      terms.add(cost, 0, depth, spanned(plan, depth));
    }
    for (Plan.Part part : plan.parts()) {
      cost[terms.leftover()] += leftover(part);
      cost[terms.slack()] += part.node().freeGpus();
    }
    cost[terms.room()] = room(plan);
    return cost;
  }

  private int spanned(Plan plan, int depth) {
    TreeSet<DomainPath> places = new TreeSet<>();
    for (Plan.Part part : plan.parts()) {
      int real = depth;
      while (real <= part.node().path().depth() && !part.node().path().isLabelledAt(real)) {
        real++;
      }
      places.add(part.node().place(real));
    }
    places.removeIf(question.mates()::areIn);
    return places.size();
  }

  private long leftover(Plan.Part part) {
    String model = part.node().node().model().name();
    Space space = Space.on(part.node(), question.demand());
    long before = question.fragmentation().of(space, model);
    for (int kind = 0; kind < part.taken().size(); kind++) {
      space.fill(kind, part.taken().get(kind));
    }
    return question.fragmentation().of(space, model) - before;
  }

  private long room(Plan plan) {
    long room = 0;
    TreeSet<DomainPath> counted = new TreeSet<>();
    for (Plan.Part part : plan.parts()) {
      DomainPath path = part.node().path();
      if (!path.isLabelled()) {
        room += part.node().freeGpus();
      } else if (counted.add(path)) {
        room += question.cluster().fabric().at(path).orElseThrow().capacity().free();
      }
    }
    return room;
  }
}

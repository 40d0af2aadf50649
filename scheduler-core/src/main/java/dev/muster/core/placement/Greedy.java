package dev.muster.core.placement;

import dev.muster.core.cluster.Domain;
import dev.muster.core.cluster.NodeState;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// Places gangs of so many kinds of members that not all ways can be worked through: greedily, and
/// where that finds no room, by trial.
///
/// Slices are put one after the other, in rank order of each sort, into the first domain of their
/// level that holds them beside those that it has.
final class Greedy {
  private final Question question;
  private final Models models;

  private Greedy(Question question, Models models) {
    this.question = question;
    this.models = models;
  }

  /// A way to place all members in the domain, if one was found.
  static Optional<Candidate> candidate(Domain domain, Question question, Models models) {
    Greedy greedy = new Greedy(question, models);
    Site site = Site.of(domain, greedy::offer);
    return greedy.plan(site).map(plan -> Candidate.of(question, models, plan, greedy.cost(plan)));
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

  /// A domain of slices being filled.
  private static final class Bin {
    private final Site site;
    private final int[] slices;
    private Optional<Packing> packing = Optional.empty();

    Bin(Site site, int sorts) {
      this.site = site;
      this.slices = new int[sorts];
    }
  }

  private Optional<Plan> sliced(Site site, Slicing cut) {
    List<Bin> bins =
        site.atDepth(cut.depth()).stream().map(s -> new Bin(s, cut.sorts().size())).toList();
    for (int sort = 0; sort < cut.sorts().size(); sort++) {
      for (int i = 0; i < cut.states().limit(sort); i++) {
        if (!put(sort, cut, bins)) {
          return Optional.empty();
        }
      }
    }
    Plan plan = new Plan();
    for (Bin bin : bins) {
      bin.packing.ifPresent(packing -> {
        plan.open(Arrays.stream(bin.slices).boxed().toList());
        add(packing, plan);
      });
    }
    return Optional.of(plan);
  }

  private boolean put(int sort, Slicing cut, List<Bin> bins) {
    for (Bin bin : bins) {
      Optional<DomainPath> pin = cut.sorts().get(sort).pin();
      if (pin.isEmpty() || pin.get().equals(bin.site.place())) {
        bin.slices[sort]++;
        Optional<Packing> packing = packing(bin.site, needs(cut, bin.slices));
        if (packing.isPresent()) {
          bin.packing = packing;
          return true;
        }
        bin.slices[sort]--;
      }
    }
    return false;
  }

  private Needs needs(Slicing cut, int[] slices) {
    List<Integer> counts = new ArrayList<>(Collections.nCopies(question.demand().kinds(), 0));
    for (int sort = 0; sort < slices.length; sort++) {
      Needs one = Needs.of(cut.sorts().get(sort).slices().getFirst());
      for (int kind = 0; kind < counts.size(); kind++) {
        int at = one.kinds().indexOf(question.demand().kind(kind));
        int count = at < 0 ? 0 : one.counts().get(at);
        counts.set(kind, counts.get(kind) + slices[sort] * count);
      }
    }
    return new Needs(question.needs().kinds(), counts);
  }

  // ---- What it costs ----

  private long[] cost(Plan plan) {
    Terms terms = question.terms();
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

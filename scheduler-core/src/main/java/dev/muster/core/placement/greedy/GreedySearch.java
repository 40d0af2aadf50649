package dev.muster.core.placement.greedy;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.TopologyDomain;
import dev.muster.core.placement.request.CandidateNode;
import dev.muster.core.placement.request.CostLayout;
import dev.muster.core.placement.request.KindCounts;
import dev.muster.core.placement.request.ModelFilter;
import dev.muster.core.placement.request.PackingAllowance;
import dev.muster.core.placement.request.PlacementPlan;
import dev.muster.core.placement.request.PlacementRequest;
import dev.muster.core.placement.request.ScoredPlan;
import dev.muster.core.placement.request.SliceLayout;
import dev.muster.core.placement.request.TrialNode;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Places gangs with too many kinds of members for the exact search.
///
/// Members are packed greedily, and by bounded backtracking if that fails.
///
/// Slices are placed one after the other, those with the most GPUs first. Each slice goes to the
/// first domain of its level that holds it together with the slices already there. If no domain
/// does, the slices before it are moved, last first, at most [#MOVES] times. At most [#PACKINGS]
/// sets of slices are packed.
public final class GreedySearch {
  private static final int MOVES = 100;

  /// The sets of slices that one search may pack. With 32 kinds of members they take about 0.2 s.
  private static final int PACKINGS = 5_000;

  private final PlacementRequest query;
  private final ModelFilter models;
  private final PackingAllowance allowance;
  private int packingsLeft = PACKINGS;

  private GreedySearch(PlacementRequest query, ModelFilter models, PackingAllowance allowance) {
    this.query = query;
    this.models = models;
    this.allowance = allowance;
  }

  /// Returns a plan for all members in the domain, if one was found.
  ///
  /// @param allowance sets of members that the search may try by backtracking in all its domains
  public static Optional<ScoredPlan> candidate(
      TopologyDomain domain,
      PlacementRequest query,
      ModelFilter models,
      PackingAllowance allowance) {
    GreedySearch greedy = new GreedySearch(query, models, allowance);
    CandidateSubtree subtree = CandidateSubtree.of(domain, greedy::offer);
    return greedy.plan(subtree).map(plan -> ScoredPlan.of(query, models, plan, greedy.cost(plan)));
  }

  private Optional<CandidateNode> offer(NodeState node) {
    List<Boolean> takes = new ArrayList<>();
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      takes.add(models.takes(node, query.demand().kind(kind)) && query.rules().takes(node, kind));
    }
    return takes.contains(true)
        ? Optional.of(new CandidateNode(node, query.demand(), takes))
        : Optional.empty();
  }

  private Optional<PlacementPlan> plan(CandidateSubtree subtree) {
    Optional<SliceLayout> cut = query.slicing().filter(s -> s.depth() > subtree.path().depth());
    if (cut.isPresent()) {
      return sliced(subtree, cut.get());
    }
    boolean allowed =
        query
            .slicing()
            .map(s -> s.allows(s.vectors().all(), subtree.path().upTo(s.depth())))
            .orElse(true);
    return allowed
        ? packing(subtree, query.kindCounts()).map(GreedySearch::plan)
        : Optional.empty();
  }

  private Optional<GreedyPacking> packing(CandidateSubtree subtree, KindCounts kindCounts) {
    return Optional.of(GreedyPacking.into(subtree, kindCounts))
        .filter(GreedyPacking::isWhole)
        .or(() -> ExactPacking.into(subtree, kindCounts, allowance));
  }

  private static PlacementPlan plan(GreedyPacking packing) {
    PlacementPlan plan = new PlacementPlan();
    add(packing, plan);
    return plan;
  }

  private static void add(GreedyPacking packing, PlacementPlan plan) {
    List<GreedyPacking.DomainFill> parts = new ArrayList<>(packing.parts());
    parts.sort(Comparator.comparing(part -> part.node().place()));
    for (GreedyPacking.DomainFill part : parts) {
      plan.add(part.node().candidate().orElseThrow().node(), part.taken());
    }
  }

  // ---- Slices ----

  /// A domain that is filled with slices, with a cache of the packing for each combination of
  /// slices.
  private static final class Bin {
    private final CandidateSubtree subtree;
    private final Resources free;
    private final List<Integer> slices;
    private final Map<List<Integer>, Optional<GreedyPacking>> packings = new LinkedHashMap<>();

    Bin(CandidateSubtree subtree, int sorts) {
      this.subtree = subtree;
      this.free = subtree.freeResources();
      this.slices = new ArrayList<>(Collections.nCopies(sorts, 0));
    }

    void add(int sort, int count) {
      slices.set(sort, slices.get(sort) + count);
    }

    /// False if its free resources do not cover a slice.
    boolean mayHold(Slice slice) {
      return slice.pin.map(subtree.place()::equals).orElse(true) && free.covers(slice.resources);
    }
  }

  /// A slice of one sort.
  ///
  /// @param counts its members by kind
  /// @param resources what they need together
  /// @param pin the domain to which it is bound
  private record Slice(List<Integer> counts, Resources resources, Optional<DomainPath> pin) {}

  private Optional<PlacementPlan> sliced(CandidateSubtree subtree, SliceLayout cut) {
    List<Bin> bins =
        subtree.atDepth(cut.depth()).stream().map(s -> new Bin(s, cut.sorts().size())).toList();
    List<Slice> sorts = cut.sorts().stream().map(this::slice).toList();
    List<Integer> slices = new ArrayList<>(); // the sort of each slice
    for (int sort = 0; sort < cut.sorts().size(); sort++) {
      slices.addAll(Collections.nCopies(cut.vectors().limit(sort), sort));
    }
    slices.sort(Comparator.comparingLong(sort -> -gpuMilli(cut.sorts().get(sort))));
    if (!fill(bins, slices, sorts)) {
      return Optional.empty();
    }
    PlacementPlan plan = new PlacementPlan();
    for (Bin bin : bins) {
      if (bin.slices.stream().anyMatch(count -> count > 0)) {
        plan.open(bin.slices);
        add(packing(bin, sorts).orElseThrow(), plan);
      }
    }
    return Optional.of(plan);
  }

  private Slice slice(SliceLayout.SliceClass sort) {
    KindCounts members = KindCounts.of(sort.slices().getFirst());
    List<Integer> counts = new ArrayList<>();
    for (int kind = 0; kind < query.demand().kinds(); kind++) {
      int at = members.kinds().indexOf(query.demand().kind(kind));
      counts.add(at < 0 ? 0 : members.counts().get(at));
    }
    return new Slice(counts, members.resources(), sort.pin());
  }

  private static long gpuMilli(SliceLayout.SliceClass sort) {
    return sort.slices().getFirst().stream()
        .map(Member::request)
        .mapToLong(asked -> 1000L * asked.gpus() + asked.gpuMilli())
        .sum();
  }

  /// Fills the bins depth first over the slices. Slices of one sort are interchangeable, so a slice
  /// never goes to a bin before the bin of the previous one.
  private boolean fill(List<Bin> bins, List<Integer> slices, List<Slice> sorts) {
    int[] taken = new int[slices.size()];
    int slice = 0;
    int from = 0;
    int moves = 0;
    while (slice < taken.length) {
      int sort = slices.get(slice);
      int bin = first(bins, from, sort, sorts);
      if (bin < bins.size()) {
        taken[slice] = bin;
        slice++;
        from = slice < taken.length && slices.get(slice) == sort ? bin : 0;
      } else if (slice == 0 || packingsLeft <= 0 || ++moves > MOVES) {
        return false;
      } else {
        slice--;
        bins.get(taken[slice]).add(slices.get(slice), -1);
        from = taken[slice] + 1;
      }
    }
    return true;
  }

  /// Adds one slice of the sort to the first bin that takes it.
  ///
  /// Returns the index of the bin, or the number of bins if none takes it.
  private int first(List<Bin> bins, int from, int sort, List<Slice> sorts) {
    for (int i = from; i < bins.size(); i++) {
      Bin bin = bins.get(i);
      if (bin.mayHold(sorts.get(sort))) {
        bin.add(sort, 1);
        if (packing(bin, sorts).isPresent()) {
          return i;
        }
        bin.add(sort, -1);
      }
    }
    return bins.size();
  }

  /// Returns the packing of the bin's slices, if there is one and it was found in time.
  private Optional<GreedyPacking> packing(Bin bin, List<Slice> sorts) {
    Optional<GreedyPacking> known = bin.packings.get(bin.slices);
    if (known == null) {
      known =
          packingsLeft-- > 0 ? packing(bin.subtree, needs(sorts, bin.slices)) : Optional.empty();
      bin.packings.put(List.copyOf(bin.slices), known);
    }
    return known;
  }

  private KindCounts needs(List<Slice> sorts, List<Integer> slices) {
    int[] counts = new int[query.demand().kinds()];
    for (int sort = 0; sort < slices.size(); sort++) {
      int number = slices.get(sort);
      for (int kind = 0; number > 0 && kind < counts.length; kind++) {
        counts[kind] += number * sorts.get(sort).counts.get(kind);
      }
    }
    return new KindCounts(query.kindCounts().kinds(), Arrays.stream(counts).boxed().toList());
  }

  // ---- Cost of a plan ----

  private long[] cost(PlacementPlan plan) {
    CostLayout terms = query.terms();
    long[] cost = new long[terms.words()];
    for (int depth = 1; depth <= terms.levels() + 1; depth++) {
      terms.add(cost, 0, depth, spanned(plan, depth));
    }
    for (PlacementPlan.NodeCount part : plan.parts()) {
      cost[terms.leftover()] += leftover(part);
      terms.addUnmet(cost, 0, unmet(part));
      cost[terms.slack()] += part.node().freeGpus();
    }
    cost[terms.freeGpus()] = capacity(plan);
    return cost;
  }

  private int spanned(PlacementPlan plan, int depth) {
    TreeSet<DomainPath> places = new TreeSet<>();
    for (PlacementPlan.NodeCount part : plan.parts()) {
      int real = depth;
      while (real <= part.node().path().depth() && !part.node().path().isLabelledAt(real)) {
        real++;
      }
      places.add(part.node().place(real));
    }
    places.removeIf(query.placed()::areIn);
    return places.size();
  }

  private long unmet(PlacementPlan.NodeCount part) {
    List<Long> each = query.preferences().ofEach(part.node().node());
    long sum = 0;
    for (int kind = 0; kind < each.size(); kind++) {
      sum += part.taken().get(kind) * each.get(kind);
    }
    return sum;
  }

  private long leftover(PlacementPlan.NodeCount part) {
    String model = part.node().node().model().name();
    TrialNode trial = TrialNode.on(part.node(), query.demand());
    long before = query.fragmentation().of(trial, model);
    for (int kind = 0; kind < part.taken().size(); kind++) {
      trial.fill(kind, part.taken().get(kind));
    }
    return query.fragmentation().of(trial, model) - before;
  }

  private long capacity(PlacementPlan plan) {
    long room = 0;
    TreeSet<DomainPath> counted = new TreeSet<>();
    for (PlacementPlan.NodeCount part : plan.parts()) {
      DomainPath path = part.node().path();
      if (!path.isLabelled()) {
        room += part.node().freeGpus();
      } else if (counted.add(path)) {
        room += query.cluster().fabric().at(path).orElseThrow().capacity().free();
      }
    }
    return room;
  }
}

package dev.muster.core.placement.oracle;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.Member;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import java.util.List;
import java.util.Optional;

/// The answers of search and oracle to one puzzle.
///
/// @param seed what draws the case
/// @param puzzle the question
/// @param answer the search's placement, if it found one
/// @param best the terms of the best placement, if there is any
record OracleComparison(
    long seed, Puzzle puzzle, Optional<Placement> answer, Optional<OracleTerms> best) {
  /// The command that tells one case.
  static final String REPLAY =
      "./mvnw -q -pl scheduler-core test -Dtest=OracleTest -Dmuster.oracle.seed=SEED";

  static OracleComparison of(long seed) {
    Puzzle puzzle = RandomCase.of(seed);
    SearchResult result =
        PlacementSearch.search(
            puzzle.cluster(), puzzle.gang(), puzzle.waiting(), SortedKeys.empty());
    Optional<Placement> answer =
        switch (result) {
          case SearchResult.Found found -> Optional.of(found.placement());
          case SearchResult.NotFound _ -> Optional.empty();
        };
    return new OracleComparison(seed, puzzle, answer, ExactPlacement.best(puzzle));
  }

  /// Returns the errors of the search's answer, or of the oracle.
  List<String> wrongs() {
    if (answer.isEmpty()) {
      return best.isPresent() ? List.of("a feasible gang is refused") : List.of();
    }
    List<String> faults = new Judge(puzzle, answer.get()).faults();
    if (!faults.isEmpty()) {
      return faults;
    }
    return best.isEmpty() || terms().compareTo(best.get()) < 0
        ? List.of("better than the oracle's best: the oracle is wrong")
        : List.of();
  }

  /// Whether both have a placement.
  boolean isPlaced() {
    return answer.isPresent() && best.isPresent();
  }

  /// The terms of the search's placement.
  OracleTerms terms() {
    return new Judge(puzzle, answer.orElseThrow()).terms();
  }

  /// The first term that is not optimal.
  Optional<String> gap() {
    return terms().firstOtherThan(best.orElseThrow());
  }

  /// Returns the excess of the term over the optimum, as a share of the optimum. For the
  /// fragmentation it is a share of all useless capacity after the best placement, at least one
  /// GPU.
  double relativeGap(String term) {
    long optimum = best.orElseThrow().get(term);
    long base =
        term.equals(OracleTerms.FRAGMENTATION)
            ? Math.max(puzzle.oneGpu(), puzzle.fragmentation() + optimum)
            : Math.max(1, optimum);
    return (double) (terms().get(term) - optimum) / base;
  }

  /// The case and both answers, for people.
  String story() {
    StringBuilder story = new StringBuilder("Case %d\n".formatted(seed));
    for (NodeState node : puzzle.nodes()) {
      story.append(
          "  %s %s %s%s: %d of %d GPUs free, free %s\n"
              .formatted(
                  node.id(),
                  node.path(),
                  Puzzle.model(node),
                  node.node().cordoned() ? " cordoned" : "",
                  node.freeGpus(),
                  node.node().gpus(),
                  node.free()));
    }
    story.append("  expected %s\n  mates on %s\n".formatted(puzzle.mix(), puzzle.mates()));
    story.append("  wishes %s\n".formatted(puzzle.gang().constraints()));
    for (Member member : puzzle.waiting()) {
      story.append(
          "  %d: %s%s\n"
              .formatted(
                  member.rank(),
                  member.request().resources(),
                  member.request().onePerNode() ? " one per node" : ""));
    }
    story.append("  best   %s\n".formatted(best.map(OracleTerms::toString).orElse("none")));
    story.append("  search %s\n".formatted(answer.map(_ -> terms().toString()).orElse("none")));
    answer.ifPresent(found ->
        found
            .assignments()
            .forEach(a -> story.append("    %d on %s\n".formatted(a.member().rank(), a.node()))));
    return story.append("  wrong: %s\n".formatted(wrongs())).toString();
  }
}

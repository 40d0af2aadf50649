package dev.muster.core.placement.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Placement;
import dev.muster.core.topology.DomainPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Compares the search with the oracle over random small cases. `-Dmuster.oracle.cases=100000`
/// makes a longer run. `-Dmuster.oracle.seed=N` prints and judges the case of one seed.
class OracleTest {
  private static final int CASES = Integer.getInteger("muster.oracle.cases", 2_000);

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // some 15 s on two cores
  void search_refuses_nothing_feasible_and_is_near_the_optimum() {
    GapReport report = new GapReport();
    Long only = Long.getLong("muster.oracle.seed");
    if (only != null) {
      OracleComparison comparison = OracleComparison.of(only);
      System.out.println(comparison.story());
      assertThat(comparison.wrongs()).isEmpty();
      return;
    }
    for (long seed = 0; seed < CASES; seed++) {
      report.add(OracleComparison.of(seed));
    }
    System.out.println(report);
    assertThat(report.wrongs()).as(OracleComparison.REPLAY).isEmpty();
    assertThat(report.spansOptimal()).as("optimal spans: %s", report).isGreaterThanOrEqualTo(0.995);
    assertThat(report.meanGap(OracleTerms.FRAGMENTATION))
        .as("mean gap: %s", report)
        .isLessThanOrEqualTo(0.01);
  }

  @Test
  void oracle_agrees_with_exhaustive_enumeration() {
    int compared = 0;
    for (long seed = 0; compared < 100; seed++) {
      Puzzle puzzle = RandomCase.of(seed);
      if (Math.pow(puzzle.nodes().size(), puzzle.waiting().size()) <= 3_000) {
        compared++;
        assertThat(ExactPlacement.best(puzzle)).as("seed %d", seed).isEqualTo(bestOfAll(puzzle));
      }
    }
  }

  private static Optional<OracleTerms> bestOfAll(Puzzle puzzle) {
    List<List<Assignment>> all = List.of(List.of());
    for (Member member : puzzle.waiting()) {
      all =
          all.stream()
              .flatMap(some -> puzzle.nodes().stream().map(node -> with(some, member, node.id())))
              .toList();
    }
    return all.stream()
        .map(some -> new Judge(puzzle, new Placement(some, DomainPath.ROOT)))
        .filter(judge -> judge.faults().isEmpty())
        .map(Judge::terms)
        .min(Comparator.naturalOrder());
  }

  private static List<Assignment> with(List<Assignment> some, Member member, NodeId node) {
    List<Assignment> more = new ArrayList<>(some);
    more.add(new Assignment(member, node));
    return more;
  }
}

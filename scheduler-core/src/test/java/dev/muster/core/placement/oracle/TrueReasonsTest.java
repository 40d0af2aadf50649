package dev.muster.core.placement.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.engine.Engine;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Reasons over random small clusters, compared with the facts: no sentence is false, and a gang is
/// told that it can never start exactly if a constraint solver finds no place on the empty nodes.
///
/// `-Dmuster.reasons.cases=50000` makes a longer run. `-Dmuster.reasons.seed=N` prints one case.
class TrueReasonsTest {
  private static final int CASES = Integer.getInteger("muster.reasons.cases", 4_000);
  private static final int SOLVED = Integer.getInteger("muster.reasons.solved", 1_200);

  private static Puzzle puzzle(long seed) {
    return seed % 2 == 0 ? RandomCase.of(seed) : RandomCase.selective(seed);
  }

  /// Returns the reason of the engine why the gang of the puzzle waits; empty if it starts.
  private static Optional<Veto> reason(Puzzle puzzle) {
    Engine engine = new Engine(Policies.DEFAULT);
    GangId gang = puzzle.gang().id();
    State after =
        engine.step(State.of(puzzle.cluster()), new Event.Synced(puzzle.cluster().now())).after();
    return after.cluster().reservations().contains(gang)
        ? Optional.empty()
        : after.why(gang).flatMap(Explanation::main);
  }

  @Test
  void sentences_say_what_a_plain_count_says() {
    Map<String, Integer> told = new TreeMap<>();
    Map<String, Integer> wrong = new TreeMap<>();
    List<String> faults = new ArrayList<>();
    long only = Long.getLong("muster.reasons.seed", -1);
    for (long seed = only < 0 ? 0 : only; seed < (only < 0 ? CASES : only + 1); seed++) {
      Puzzle puzzle = puzzle(seed);
      Optional<Veto> why = reason(puzzle).filter(veto -> veto.remedy() != Remedy.MEMBERS);
      if (why.isPresent()) {
        String sentence = ReasonText.sentence(why.get());
        String token = ReasonText.token(why.get());
        told.merge(token, 1, Integer::sum);
        Optional<String> fault = new PlainReading(puzzle).fault(sentence);
        if (fault.isPresent()) {
          wrong.merge(token, 1, Integer::sum);
          faults.add("%d: %s BUT %s".formatted(seed, sentence, fault.get()));
        }
      }
    }
    System.out.println("told " + told + ", of which false " + wrong);
    assertThat(faults.size() > 60 ? faults.subList(0, 60) : faults).isEmpty();
  }

  /// Kubernetes tells the owner of a pod no other node than its own.
  @Test
  void sentences_name_no_node_without_a_member_of_the_gang() {
    List<String> faults = new ArrayList<>();
    for (long seed = 0; seed < SOLVED; seed++) {
      Puzzle puzzle = puzzle(seed);
      String sentence = reason(puzzle).map(ReasonText::sentence).orElse("");
      List<String> words = List.of(sentence.split("[^A-Za-z0-9-]+"));
      puzzle.nodes().stream()
          .map(NodeState::id)
          .filter(node -> words.contains(node.name()) && !puzzle.mates().contains(node))
          .forEach(node -> faults.add(sentence));
    }
    assertThat(faults).isEmpty();
  }

  @Test
  void gang_is_impossible_exactly_if_no_place_exists_on_the_empty_nodes() {
    List<String> faults = new ArrayList<>();
    int impossible = 0;
    int hidden = 0;
    for (long seed = 0; seed < SOLVED; seed++) {
      Puzzle puzzle = puzzle(seed);
      Optional<Veto> why =
          EmptyNodes.hasMates(puzzle)
              ? Optional.empty()
              : reason(puzzle).filter(veto -> veto.remedy() != Remedy.MEMBERS);
      if (why.isPresent()) {
        boolean never = ExactPlacement.best(EmptyNodes.of(puzzle)).isEmpty();
        boolean toldSo = why.get().remedy() == Remedy.NEVER;
        impossible += never ? 1 : 0;
        hidden += never && !toldSo ? 1 : 0;
        boolean enumerated = kinds(puzzle) < 4; // of more kinds, the search does not try all ways
        if (never != toldSo && (toldSo || enumerated)) {
          faults.add("%d: %s is %s".formatted(seed, why.get(), never ? "impossible" : "possible"));
        }
      }
    }
    System.out.printf("impossible %d, of which told otherwise %d%n", impossible, hidden);
    assertThat(impossible).isGreaterThan(SOLVED / 20);
    assertThat(faults).isEmpty();
  }

  private static long kinds(Puzzle puzzle) {
    return puzzle.waiting().stream().map(member -> member.request()).distinct().count();
  }
}

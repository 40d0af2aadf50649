package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.gang.GangId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.preempt.PreemptingGang;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPlan;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import dev.muster.core.victims.VictimCandidate;
import dev.muster.core.victims.VictimCost;
import dev.muster.core.victims.VictimSearch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/// Compares the victim search with an exhaustive search on small random clusters.
/// `-Dmuster.victims.cases=N` sets the number of cases, `-Dmuster.victims.seed=S` replays one.
class VictimOracleTest {
  private static final int CASES = Integer.getInteger("muster.victims.cases", 400);

  private final Policies policies =
      Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.SHADOW));
  private int feasible;
  private int dearer;
  private int tooMany;

  /// A cluster on which gangs run, and one that waits.
  private record Case(Scene scene, GangId waiting) {}

  private static Case drawn(long seed) {
    Random random = new Random(seed);
    IntUnaryOperator below = random::nextInt;
    StringBuilder drawing = new StringBuilder();
    for (int rack = 0; rack < 1 + below.applyAsInt(3); rack++) {
      drawing.append("b/r").append(rack).append(": ");
      for (int node = 0; node < 1 + below.applyAsInt(3); node++) {
        drawing.append("n%d%d[....] ".formatted(rack, node));
      }
      drawing.append('\n');
    }
    Scene scene = Scene.of(drawing.toString());
    for (int i = 0; i < 10; i++) {
      GangDraft draft = gang("g" + i).of(1 + below.applyAsInt(3), 1 + below.applyAsInt(4));
      int minCount = 1 + below.applyAsInt(draft.members().size());
      scene.arrives(draft.minCount(minCount).priority(below.applyAsInt(3)));
      scene.after(Duration.ofSeconds(1 + below.applyAsInt(3)));
    }
    GangDraft big = gang("big").of(1 + below.applyAsInt(2), 1 + below.applyAsInt(4)).priority(2);
    big.of(1 + below.applyAsInt(2), below.applyAsInt(5));
    scene.arrives(below.applyAsInt(2) == 0 ? big : big.within("rack"));
    return new Case(scene, big.id());
  }

  @Test
  void search_finds_the_cheapest_victims_and_no_needless_one() {
    long only = Long.getLong("muster.victims.seed", -1);
    for (long seed = only < 0 ? 1 : only; seed <= (only < 0 ? CASES : only); seed++) {
      compare(seed);
    }
    System.out.printf(
        "victims: %d cases with a plan, %d dearer than the cheapest, %d with a gang more than needed%n",
        feasible, dearer, tooMany);
    assertThat(only >= 0 || feasible * 3 > CASES).as("enough cases with a plan").isTrue();
    assertThat(dearer * 100).isLessThanOrEqualTo(feasible);
    assertThat(tooMany * 1000).isLessThanOrEqualTo(feasible);
  }

  private void compare(long seed) {
    Case drawn = drawn(seed);
    State state = drawn.scene().state();
    Gang waiting = state.cluster().gang(drawn.waiting());
    if (state.waiting().classOf(waiting.id()).isEmpty()) {
      return;
    }
    PreemptingGang preemptor = PreemptingGang.of(state, waiting, policies);
    Optional<VictimCost> cheapest = cheapest(preemptor);
    Optional<PreemptionPlan> plan = VictimSearch.search(preemptor, policies.preemption());
    assertThat(plan.isPresent()).as("seed %d: %s", seed, plan).isEqualTo(cheapest.isPresent());
    if (plan.isPresent()) {
      feasible++;
      int worse = plan.get().cost().compareTo(cheapest.get());
      assertThat(worse).as("seed %d: cheaper than the oracle", seed).isNotNegative();
      dearer += worse > 0 ? 1 : 0;
      tooMany += plan.get().cost().amounts().get(1) > cheapest.get().amounts().get(1) + 1 ? 1 : 0;
      assertThat(fits(preemptor, plan.get().victims())).as("seed %d", seed).isTrue();
      for (VictimCandidate victim : plan.get().victims()) {
        List<VictimCandidate> others = new ArrayList<>(plan.get().victims());
        others.remove(victim);
        assertThat(fits(preemptor, others)).as("seed %d: %s is needless", seed, victim).isFalse();
      }
      if (worse > 0) {
        System.out.printf(
            "victims: seed %d: %s for %s%n", seed, plan.get().cost().amounts(), cheapest.get());
      }
    }
  }

  private static Optional<VictimCost> cheapest(PreemptingGang preemptor) {
    List<VictimCandidate> all = new ArrayList<>();
    for (Gang gang : preemptor.state().cluster().gangs()) {
      all.addAll(preemptor.candidates(gang.id()));
    }
    Optional<VictimCost> least = Optional.empty();
    for (int bits = 1; bits < 1 << all.size(); bits++) {
      List<VictimCandidate> some = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        if ((bits & 1 << i) != 0) {
          some.add(all.get(i));
        }
      }
      VictimCost cost = price(some);
      boolean better = least.isEmpty() || cost.compareTo(least.get()) < 0;
      least = better && fits(preemptor, some) ? Optional.of(cost) : least;
    }
    return least;
  }

  /// The greatest importance, how many whole gangs, and the work of all.
  private static VictimCost price(List<VictimCandidate> some) {
    long importance = 0;
    long gangs = 0;
    long work = 0;
    for (VictimCandidate candidate : some) {
      importance = Math.max(importance, candidate.cost().amounts().get(0));
      gangs += candidate.cost().amounts().get(1);
      work += candidate.cost().amounts().get(2);
    }
    return new VictimCost(some.getFirst().cost().terms(), List.of(importance, gangs, work));
  }

  private static boolean fits(PreemptingGang preemptor, List<VictimCandidate> gone) {
    Cluster left = preemptor.image();
    for (VictimCandidate candidate : gone) {
      left = WhatIf.without(left, candidate.gang(), candidate.members());
    }
    return preemptor.place(left) instanceof SearchResult.Found;
  }
}

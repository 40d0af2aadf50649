package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// Budgets are spent and renewed at any time, while gangs of two queues come and end.
class BudgetHoldPropertyTest {
  private static final List<String> QUEUES = List.of("p", "q");

  /// @param what 0 and 1: a gang comes; 2: the oldest gang ends; 3: budgets change; 4: a minute
  ///   passes
  record Act(int what, boolean first, boolean second, int gpus) {}

  @Provide
  Arbitrary<List<Act>> acts() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 4),
            Arbitraries.of(true, false),
            Arbitraries.of(true, false),
            Arbitraries.integers().between(1, 4))
        .as(Act::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(25);
  }

  @Property(tries = 300)
  void gangs_start_if_and_only_if_no_budget_of_theirs_is_spent(@ForAll("acts") List<Act> acts) {
    Scene scene = Scene.of("b/r: n1[....] n2[....]");
    List<String> alive = new ArrayList<>();
    int gangs = 0;
    for (Act act : acts) {
      int decided = scene.decisions().size();
      Set<String> spent = spent(scene);
      switch (act.what()) {
        case 0, 1 -> {
          String name = "g" + gangs++;
          alive.add(name);
          scene.arrives(gang(name).of(2, act.gpus()).queue(act.first() ? "p" : "q"));
        }
        case 2 -> {
          if (!alive.isEmpty()) {
            scene.ends(alive.removeFirst());
          }
        }
        case 3 -> {
          List<SpentBudget> budgets = new ArrayList<>();
          for (String queue : QUEUES) {
            if (queue.equals("p") ? act.first() : act.second()) {
              budgets.add(
                  new SpentBudget(
                      BudgetOwner.queue(queue), 1, 1, scene.now().plus(Duration.ofMinutes(3))));
            }
          }
          scene.then(new Event.BudgetsSpent(scene.now(), budgets));
          spent = spent(scene);
        }
        default -> {
          scene.after(Duration.ofMinutes(1));
          spent.retainAll(spent(scene));
        }
      }
      for (Decision decision : scene.decisions().subList(decided, scene.decisions().size())) {
        if (decision instanceof Decision.Admit(GangId id, _, _)) {
          assertThat(spent).doesNotContain(scene.cluster().gang(id).queue());
        }
      }
    }
    scene.after(Duration.ofMinutes(3));
    while (!alive.isEmpty()) {
      String oldest = runs(scene, alive);
      scene.ends(oldest).after(Duration.ofSeconds(11));
      alive.remove(oldest);
    }
  }

  private static Set<String> spent(Scene scene) {
    Set<String> queues = new HashSet<>();
    scene.cluster().spent().forEach(budget -> queues.add(budget.owner().name()));
    return queues;
  }

  /// Returns a gang that runs. While gangs are there and no budget is spent, one does.
  private static String runs(Scene scene, List<String> alive) {
    return alive.stream()
        .filter(name -> !scene.nodesOf(name).isEmpty())
        .findFirst()
        .orElseThrow(() -> new AssertionError("None runs of " + alive));
  }
}

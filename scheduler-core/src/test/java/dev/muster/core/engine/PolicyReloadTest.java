package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.kit.Scene;
import dev.muster.core.preemption.ByPriority;
import dev.muster.core.preemption.Limits;
import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.core.preemption.Ruling;
import dev.muster.core.preemption.Subject;
import dev.muster.core.preemption.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What a changed policy makes of preemptions that are under way.
class PolicyReloadTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration NOTICE = Duration.ofMinutes(2);
  private static final Ruled FIRST = new Ruled("r1", "first", NOTICE, "nobody");

  /// By priority, under a name of its own; one gang is spared.
  private record Ruled(String revision, String rule, Duration notice, String spared)
      implements PreemptionPolicy {
    private static final PreemptionPolicy PLAIN = new ByPriority(Mode.ENFORCE);

    @Override
    public Mode mode() {
      return Mode.ENFORCE;
    }

    @Override
    public List<Term> terms() {
      return PLAIN.terms();
    }

    @Override
    public Limits limits() {
      return Limits.NONE;
    }

    @Override
    public Optional<Duration> delay(Subject preemptor) {
      return Optional.of(Duration.ZERO);
    }

    @Override
    public Ruling ruling(Subject preemptor, Subject victim, Instant now) {
      if (victim.gang().name().equals(spared)) {
        return new Ruling.Protected("exempt", "The policy spares it.", Optional.empty());
      }
      return PLAIN.ruling(preemptor, victim, now) instanceof Ruling.Allowed allowed
          ? new Ruling.Allowed(rule, allowed.price(), notice, Optional.empty())
          : PLAIN.ruling(preemptor, victim, now);
    }
  }

  /// "low" was told that it leaves for "high"; "dear" could leave in its place.
  private static Scene lowIsTold() {
    return Scene.of("b/r: n1[....] n2[....]", Policies.DEFAULT.with(FIRST))
        .arrives(gang("low").of(1, 4))
        .arrives(gang("dear").of(1, 4).priority(5))
        .arrives(gang("high").of(1, 4).priority(10))
        .after(SECOND);
  }

  private static Scene reloaded(Scene scene, Ruled policy) {
    return scene
        .under(Policies.DEFAULT.with(policy))
        .then(new Event.PolicyChanged(scene.now(), policy.revision()));
  }

  private static List<Effect.Evict> evictions(Scene scene) {
    return scene.asked().stream()
        .filter(Effect.Evict.class::isInstance)
        .map(Effect.Evict.class::cast)
        .toList();
  }

  @Test
  void who_is_spared_now_stays_although_it_was_told() {
    Scene scene = reloaded(lowIsTold(), new Ruled("r2", "first", NOTICE, "low"));
    assertThat(scene.asked())
        .contains(new Effect.RecordVictims(gang("high").id(), SortedTable.empty()));
    assertThat(scene.asked()).filteredOn(Effect.Reprieve.class::isInstance).hasSize(1);
    scene.after(NOTICE.plus(SECOND).plus(SECOND));
    assertThat(evictions(scene)).extracting(evict -> evict.gang().name()).containsExactly("dear");
  }

  @Test
  void who_is_stopped_all_the_same_is_told_the_rule_of_the_policy_that_is_named() {
    Scene scene = reloaded(lowIsTold(), new Ruled("r2", "second", NOTICE, "nobody")).after(NOTICE);
    assertThat(evictions(scene))
        .extracting(Effect.Evict::message)
        .containsExactly("Stopped for ml/high by the rule second of policy r2.");
  }

  @Test
  void the_time_that_a_victim_was_told_stands() {
    Ruled longer = new Ruled("r2", "first", Duration.ofHours(1), "nobody");
    Scene scene = reloaded(lowIsTold(), longer).after(NOTICE);
    assertThat(scene.nodesOf("high")).containsExactly("n1");
  }
}

package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.kit.SceneEvents;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The number of preempted gangs per hour is limited.
class HourlyLimitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /// Preemption by priority, with a notice period and one victim an hour.
  private static Policies oneAnHour(Duration notice) {
    int any = Integer.MAX_VALUE;
    PreemptionLimits limits = new PreemptionLimits(any, any, 1, Duration.ofMinutes(1));
    return Policies.DEFAULT.with(new SceneEvents(notice, limits));
  }

  /// Two gangs run on a node each. Two gangs of higher priority need one of the nodes each.
  private static Scene twoForTwo(Duration notice) {
    return Scene.of("b/r: n1[....] n2[....]", oneAnHour(notice))
        .arrives(gang("low1").of(1, 4))
        .arrives(gang("low2").of(1, 4))
        .arrives(gang("high1").of(1, 4).priority(10))
        .arrives(gang("high2").of(1, 4).priority(10));
  }

  private static List<Decision> preemptions(Scene scene) {
    return scene.decisions().stream().filter(Decision.Preempt.class::isInstance).toList();
  }

  private static PreemptionOutcome prospect(Scene scene, String name) {
    return PreemptionOutcome.of(scene.state(), oneAnHour(Duration.ZERO), gang(name).id());
  }

  @Test
  void victims_count_for_the_limit_before_they_leave() {
    Scene scene = twoForTwo(Duration.ofMinutes(2)).after(SECOND);
    assertThat(preemptions(scene)).hasSize(1);
    assertThat(prospect(scene, "high2")).isInstanceOf(PreemptionOutcome.TooMany.class);
  }

  @Test
  void hour_begins_at_the_eviction_and_not_at_the_notice() {
    Scene scene = twoForTwo(Duration.ofHours(2)).after(Duration.ofHours(2).plusMinutes(5));
    assertThat(scene.nodesOf("high1")).hasSize(1);
    assertThat(preemptions(scene)).hasSize(1);
    scene.after(Duration.ofHours(1));
    assertThat(preemptions(scene)).hasSize(2);
  }

  @Test
  void preemptor_that_takes_over_victims_preempts_no_more_gangs() {
    Scene scene = twoForTwo(Duration.ofMinutes(2)).after(SECOND);
    scene.arrives(gang("higher").of(1, 4).priority(20)).after(Duration.ofMinutes(3));
    assertThat(scene.nodesOf("higher")).hasSize(1);
  }

  @Test
  void limit_prefers_one_expensive_victim_to_many_cheap_ones() {
    Scene scene =
        Scene.of("b/r: n1[....] n2[....] n3[....] n4[....]", oneAnHour(Duration.ZERO))
            .arrives(gang("cheap1").of(1, 4))
            .arrives(gang("cheap2").of(1, 4))
            .arrives(gang("dear").of(2, 4).priority(5))
            .arrives(gang("high").of(2, 4).priority(10))
            .after(SECOND);
    assertThat(scene.nodesOf("high")).containsExactly("n3", "n4");
  }

  @Test
  void limit_prefers_one_expensive_victim_beyond_the_exhaustive_search() {
    StringBuilder nodes = new StringBuilder("b/r:");
    for (int i = 10; i < 24; i++) {
      nodes.append(" n").append(i).append("[....]");
    }
    Scene scene = Scene.of(nodes.append(" m1[....] m2[....]").toString(), oneAnHour(Duration.ZERO));
    scene.arrives(gang("dear").of(2, 4).priority(5));
    for (int i = 0; i < 14; i++) {
      scene.arrives(gang("cheap" + i).of(1, 4));
    }
    scene.arrives(gang("high").of(2, 4).priority(10)).after(SECOND);
    assertThat(scene.nodesOf("dear")).isEmpty();
    assertThat(scene.nodesOf("high")).hasSize(2);
  }

  @Test
  void restart_does_not_end_the_hour() {
    Instant halfAnHourAgo = Scene.START.minus(Duration.ofMinutes(30));
    Scene scene = restarted(halfAnHourAgo);
    assertThat(preemptions(scene.after(Duration.ofMinutes(29)))).isEmpty();
    assertThat(preemptions(scene.after(Duration.ofMinutes(2)))).hasSize(1);
  }

  /// A gang runs that a more important one wants to stop; another one was stopped before.
  private static Scene restarted(Instant stopped) {
    var record = new PreemptionRecord(SortedTable.empty(), List.of(stopped), Optional.empty());
    Scene scene = Scene.unsynced("b/r: n1[....]", oneAnHour(Duration.ZERO));
    scene.then(new Event.GangSeen(scene.now(), gang("was").of(1, 4).spec().recording(record)));
    GangDraft low = gang("low").of(1, 4);
    scene.then(new Event.GangSeen(scene.now(), low.spec()));
    scene.becomes(low.members().getFirst(), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.arrives(gang("high").of(1, 4).priority(10));
    return scene.then(new Event.Synced(scene.now()));
  }
}

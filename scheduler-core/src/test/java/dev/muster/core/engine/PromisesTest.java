package dev.muster.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cycle.GangAttempt;
import dev.muster.core.gang.GangId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The promises of the design hold for random histories of a small cluster. Each case is a seed,
/// which jqwik prints.
class PromisesTest {
  @Property(tries = 150)
  void ledger_balances_and_gangs_end_whole_or_released(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 60; turn++) {
      workload.turn(); // every event checks the image against a recomputation from scratch
    }
    workload.scene().after(Duration.ofMinutes(3));
    for (Gang gang : workload.scene().cluster().gangs()) {
      assertThat(workload.scene().cluster().reservations().contains(gang.id()))
          .as(gang.id() + " holds on")
          .isFalse();
    }
  }

  @Property(tries = 100)
  void no_waiting_gang_would_fit(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 60; turn++) {
      workload.turn();
    }
    workload.scene().after(Duration.ofSeconds(30)); // gangs that were released have rested
    State settled = workload.scene().state();
    for (Gang gang : settled.cluster().gangs()) {
      GangAttempt again = PromiseChecks.alone(gang.id(), settled, RandomWorkload.POLICIES);
      assertThat(again.after().cluster().reservations().contains(gang.id()))
          .as("%s would fit now but waits: %s", gang.id(), settled.standing().get(gang.id()))
          .isFalse();
    }
  }

  @Property(tries = 50)
  void equal_facts_in_another_order_give_equal_placements(@ForAll @IntRange(min = 0) int seed) {
    List<GangDraft> gangs = new ArrayList<>();
    Random random = new Random(seed);
    for (int i = 0; i < 6; i++) {
      gangs.add(
          GangDraft.gang("g" + i)
              .of(1 + random.nextInt(3), 1 + random.nextInt(4))
              .priority(random.nextInt(3)));
    }
    assertThat(placements(gangs, new Random(seed + 1L)))
        .isEqualTo(placements(gangs, new Random(seed + 2L)));
  }

  private static SortedMap<GangId, List<String>> placements(List<GangDraft> gangs, Random order) {
    List<Event> events = new ArrayList<>();
    Scene scene = Scene.unsynced(RandomWorkload.CLUSTER, Policies.DEFAULT);
    for (GangDraft gang : gangs) {
      events.add(new Event.GangSeen(scene.now(), gang.spec()));
      gang.members().forEach(member -> events.add(new Event.MemberSeen(scene.now(), member)));
    }
    Collections.shuffle(events, order);
    events.forEach(scene::then);
    scene.then(new Event.Synced(scene.now()));
    SortedMap<GangId, List<String>> placed = new TreeMap<>();
    gangs.forEach(gang -> placed.put(gang.id(), scene.nodesOf(gang.id().name())));
    return placed;
  }
}

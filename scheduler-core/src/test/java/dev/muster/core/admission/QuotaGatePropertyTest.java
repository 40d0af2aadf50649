package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Gang;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.DrawnFloor;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Invariants;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// No event lets a queue exceed its maximum or forgets a waiting gang.
class QuotaGatePropertyTest {
  private static final String H16_A8 = "b/r: n1:H100[........] n2:H100[........] n3:A100[........]";
  private static final Queue[] QUEUES = {
    Queue.of("q0").most(Quota.of(12).with("H100", 8)).guaranteed(Quota.of(6)),
    Queue.of("q1").most(Quota.of(16)).guaranteed(Quota.NONE.with("A100", 4)),
    Queue.of("q2").most(Quota.NONE.with("A100", 6)),
    Queue.of("q3")
  };

  @Property(tries = 100)
  void no_maximum_is_exceeded_and_no_waiting_gang_is_forgotten(
      @ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    DrawnFloor floor = DrawnFloor.of(H16_A8, QUEUES);
    for (int turn = 0; turn < 40; turn++) {
      floor.checked(() -> turn(floor, random));
      Invariants.check(floor.cluster());
      for (Queue queue : QUEUES) {
        floor.checkMaximum(queue);
      }
    }
  }

  @Property(tries = 100)
  void no_more_members_start_than_the_bound_of_their_number(@ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    DrawnFloor floor = DrawnFloor.of(H16_A8, QUEUES);
    for (int turn = 0; turn < 40; turn++) {
      turn(floor, random);
      for (Gang gang : floor.cluster().gangs()) {
        String name = gang.id().name();
        int waiting = floor.cluster().unpromised(gang).size();
        for (int more = floor.most(name) + 1; more <= waiting; more++) {
          assertThat(floor.startsWith(name, more)).isFalse();
        }
      }
    }
  }

  @Property(tries = 300)
  void no_gang_waits_for_guarantee_claims_in_an_empty_cluster(@ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    DrawnFloor floor = DrawnFloor.of(H16_A8, GUARANTEED);
    for (int gangs = 1 + random.nextInt(4); gangs > 0; gangs--) {
      floor.arrives(draft(floor, random).of(2 + random.nextInt(2), 2 + random.nextInt(4)));
    }
    List<Optional<Veto>> answers =
        floor.cluster().gangs().values().stream()
            .map(gang -> floor.refusal(gang.id().name()))
            .toList();
    assertThat(answers.stream().allMatch(QuotaGatePropertyTest::isClaimed)).isFalse();
  }

  private static boolean isClaimed(Optional<Veto> veto) {
    return veto.filter(Veto.OverQuota.class::isInstance).isPresent();
  }

  private static final Queue[] GUARANTEED = {
    Queue.of("q0").guaranteed(Quota.of(6).with("H100", 4)),
    Queue.of("q1").guaranteed(Quota.NONE.with("A100", 4)).weighing(2),
    Queue.of("q2").guaranteed(Quota.of(10).with("H100", 2)),
    Queue.of("q3").guaranteed(Quota.of(8))
  };

  private static void turn(DrawnFloor floor, Random random) {
    switch (random.nextInt(6)) {
      case 0, 1 -> floor.arrives(draft(floor, random));
      case 2 -> floor.any(random).ifPresent(floor::ends);
      case 3 -> floor.cordons("n" + (1 + random.nextInt(3)), random.nextBoolean());
      default -> floor.any(random).ifPresent(floor::starts);
    }
  }

  private static GangDraft draft(DrawnFloor floor, Random random) {
    List<String> models = List.of("H100", "A100").subList(0, random.nextInt(3));
    GangDraft draft =
        gang("g" + floor.cluster().version())
            .on(new GpuModelPreference(models, random.nextInt(3) == 0))
            .queue("q" + random.nextInt(4))
            .of(1 + random.nextInt(4), random.nextInt(6));
    return random.nextBoolean() ? draft.minCount(1) : draft;
  }
}

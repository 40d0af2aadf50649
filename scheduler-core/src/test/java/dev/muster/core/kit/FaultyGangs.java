package dev.muster.core.kit;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Toleration;
import dev.muster.core.state.Policies;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// The gangs that arrive in a [FaultyWorld], of all kinds, and their policies.
final class FaultyGangs {
  private static final Requirement POOLED =
      new Requirement("pool", Requirement.Operator.IN, List.of("a"));
  private static final Toleration TOLERANT =
      new Toleration(Optional.of(FaultyObjects.TAINT.key()), Optional.empty(), Optional.empty());

  private final Random random;
  private int drafts;

  FaultyGangs(Random random) {
    this.random = random;
  }

  /// Queues have guarantees, maxima and ceilings in most worlds. All timeouts are shorter than the
  /// defaults, so that they occur within a test.
  static Policies policies(Random random) {
    Queues queues =
        Queues.of(
            List.of(
                Queue.of("q0").weighing(2).guaranteed(Quota.of(8)).most(Quota.of(16)),
                Queue.of("q1").most(Quota.of(12).with("H100", 10)).upTo(1),
                Queue.of("q2").guaranteed(Quota.NONE.with("H100", 4))));
    Optional<Duration> patience =
        random.nextInt(3) == 0 ? Optional.of(Duration.ofMinutes(2)) : Optional.empty();
    return Policies.of(
            random.nextInt(4) == 0 ? Queues.NONE : queues, Duration.ofMinutes(1), patience)
        .with(new BackfillSettings(random.nextInt(4), Duration.ofMinutes(2)))
        .with(new PriorityPreemptionPolicy(random.nextBoolean() ? Mode.ENFORCE : Mode.OFF))
        .repairingWithin(Duration.ofMinutes(2));
  }

  GangDraft next(Instant now) {
    int members = 1 + random.nextInt(6);
    GangDraft draft = picky(GangDraft.gang("g" + drafts++));
    draft =
        sized(draft, members)
            .queue(random.nextInt(40) == 0 ? "nobody's" : "q" + random.nextInt(3))
            .priority(random.nextInt(3))
            .createdAt(now);
    draft = random.nextInt(3) == 0 ? elastic(draft, members) : draft;
    draft = random.nextInt(3) == 0 ? near(draft) : draft;
    draft =
        random.nextInt(6) == 0 ? draft.on(new GpuModelPreference(List.of("H100"), false)) : draft;
    draft = random.nextInt(2) == 0 ? draft.of("work" + random.nextInt(3)) : draft;
    return random.nextInt(2) == 0
        ? draft.running(Duration.ofSeconds(10 + random.nextInt(300)))
        : draft;
  }

  /// Adds node constraints of the members.
  private GangDraft picky(GangDraft draft) {
    GangDraft picky = random.nextInt(8) == 0 ? draft.onePerNode() : draft;
    return switch (random.nextInt(12)) {
      case 0 -> picky.selecting(selection(List.of(POOLED), List.of()));
      case 1 -> picky.selecting(selection(List.of(), List.of(TOLERANT)));
      case 2 -> picky.selecting(selection(List.of(POOLED), List.of(TOLERANT)));
      default -> picky;
    };
  }

  private static NodeSelection selection(List<Requirement> all, List<Toleration> tolerations) {
    return new NodeSelection(all, List.of(), tolerations);
  }

  private GangDraft sized(GangDraft draft, int members) {
    int gpus = 1 + random.nextInt(4);
    return switch (random.nextInt(20)) {
      case 0, 1 -> draft.ofParts(members, 100 * (1 + random.nextInt(9)));
      case 2 -> draft.of(1, 0).of(members - 1, gpus); // a launcher without GPUs
      case 3 -> draft.of(members / 2, gpus).of(members - members / 2, 1 + random.nextInt(4));
      case 4 -> draft.of(members, 0);
      default -> draft.of(members, gpus);
    };
  }

  private GangDraft elastic(GangDraft draft, int members) {
    int least = 1 + random.nextInt(members);
    GangDraft elastic = draft.minCount(least);
    return random.nextBoolean()
        ? elastic.upTo(least + random.nextInt(members - least + 1))
        : elastic;
  }

  private GangDraft near(GangDraft draft) {
    return switch (random.nextInt(6)) {
      case 0 -> draft.within("node");
      case 1 -> draft.within("rack");
      case 2 -> draft.near("rack");
      case 3 -> draft.sliced(2, "rack");
      case 4 -> draft.within("block").sliced(2, "node");
      default -> draft.balanced();
    };
  }
}

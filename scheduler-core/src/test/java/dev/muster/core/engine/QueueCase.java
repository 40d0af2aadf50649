package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.AnyVictimPolicy;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.preempt.PreemptionOutcome;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/// A small random cluster on which gangs of three queues run and one gang, `asks`, waits.
///
/// @param queues the limits of the queues
record QueueCase(Scene scene, List<Queue> queues) {
  private static final GangDraft ASKS = gang("asks");

  Gang asks() {
    return scene.gang("asks");
  }

  Queue queue(String name) {
    return queues.stream().filter(queue -> queue.name().equals(name)).findFirst().orElseThrow();
  }

  SortedMap<String, Integer> guarantees() {
    TreeMap<String, Integer> guarantees = new TreeMap<>();
    queues.forEach(
        queue -> queue.guaranteed().gpus().ifPresent(gpus -> guarantees.put(queue.name(), gpus)));
    return guarantees;
  }

  PreemptionOutcome outcome() {
    Policies policies = policies(queues).with(new AnyVictimPolicy());
    return PreemptionOutcome.of(scene.state(), policies, asks().id());
  }

  QueueCase with(Queue other) {
    List<Queue> all = new ArrayList<>(queues);
    all.replaceAll(queue -> queue.name().equals(other.name()) ? other : queue);
    return new QueueCase(scene, all);
  }

  private static Policies policies(List<Queue> queues) {
    return Policies.of(Queues.of(queues), Duration.ofMinutes(2), Optional.empty());
  }

  static QueueCase drawn(long seed) {
    Random random = new Random(seed);
    StringBuilder drawing = new StringBuilder("b/r:");
    for (int node = 0; node <= random.nextInt(3); node++) {
      drawing.append(" n").append(node).append('[').append(".".repeat(2 + random.nextInt(5)));
      drawing.append(']');
    }
    List<Queue> queues = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      Queue queue = Queue.of(name);
      int guarantee = random.nextInt(7);
      queue = random.nextInt(3) > 0 ? queue.guaranteed(Quota.of(guarantee)) : queue;
      int maximum = Math.max(guarantee, 1 + random.nextInt(8));
      queues.add(random.nextInt(3) == 0 ? queue.most(Quota.of(maximum)) : queue);
    }
    Scene scene = Scene.of(drawing.toString(), policies(queues));
    for (int i = 0; i < 5; i++) {
      arrives(scene, draft(gang("g" + i), random), true);
    }
    arrives(scene, draft(ASKS, random), false);
    return new QueueCase(scene, queues);
  }

  private static GangDraft draft(GangDraft draft, Random random) {
    int members = 1 + random.nextInt(3);
    int least = draft.id().equals(ASKS.id()) ? members : 1 + random.nextInt(members);
    return gang(draft.id().name())
        .of(members, 1 + random.nextInt(3))
        .minCount(least)
        .priority(random.nextInt(4))
        .queue(List.of("a", "b", "c").get(random.nextInt(3)));
  }

  /// Lets the gang arrive. If only running pods count, those that wait are withdrawn.
  private static void arrives(Scene scene, GangDraft draft, boolean onlyRunning) {
    scene.arrives(draft);
    for (Member member : scene.gang(draft.id().name()).members().values()) {
      if (onlyRunning && !member.isBound()) {
        scene.then(new Event.MemberGone(scene.now(), member.gang(), member.id()));
      }
    }
    if (scene.gang(draft.id().name()).members().isEmpty()) {
      scene.then(new Event.GangGone(scene.now(), draft.id()));
    }
  }
}

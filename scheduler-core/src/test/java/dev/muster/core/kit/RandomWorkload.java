package dev.muster.core.kit;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.NodeState;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// A random history in which gangs come and end, pods fail, nodes vanish and return, and unmanaged
/// pods arrive.
public final class RandomWorkload {
  /// The cluster it happens on.
  public static final String CLUSTER =
      """
      b1/r1: n1[....] n2[....]
      b1/r2: n3[........] n4[....]
      b2/r3: n5:P4[....] n6[....]
      """;

  /// Queues with guarantees and maxima, and room that is drained soon.
  public static final Policies POLICIES =
      Policies.of(
              Queues.of(
                  List.of(
                      Queue.of("q0").weighing(2).guaranteed(Quota.of(8)),
                      Queue.of("q1").most(Quota.of(10).with("H100", 8)),
                      Queue.of("q2").guaranteed(Quota.NONE.with("H100", 4)))),
              Duration.ofMinutes(2),
              Optional.empty())
          .with(new BackfillSettings(2, Duration.ofMinutes(1)));

  private final Scene scene = Scene.of(CLUSTER, POLICIES);
  private final Random random;
  private final List<GangDraft> gangs = new ArrayList<>();
  private final List<NodeState> lost = new ArrayList<>();

  /// Equal seeds give equal histories.
  public RandomWorkload(int seed) {
    this.random = new Random(seed);
  }

  /// The story so far.
  public Scene scene() {
    return scene;
  }

  /// Something happens.
  public void turn() {
    switch (random.nextInt(9)) {
      case 0, 1, 2 -> arrive();
      case 3 -> end();
      case 4 -> die();
      case 5 -> loseNode();
      case 6 -> returnNode();
      case 7 -> stranger();
      default -> scene.after(Duration.ofSeconds(1 + random.nextInt(20)));
    }
    Invariants.checkNothingOversold(scene.cluster());
  }

  private void arrive() {
    GangDraft gang =
        GangDraft.gang("g" + gangs.size())
            .of(1 + random.nextInt(4), 1 + random.nextInt(5))
            .queue("q" + gangs.size() % 3)
            .priority(random.nextInt(3));
    gang = random.nextInt(4) == 0 ? gang.within("rack") : gang;
    gang = random.nextBoolean() ? gang.running(Duration.ofSeconds(10 + random.nextInt(120))) : gang;
    gangs.add(random.nextInt(4) == 0 ? gang.minCount(1) : gang);
    scene.arrives(gangs.getLast());
  }

  private void end() {
    any().ifPresent(gang -> scene.ends(gang.id().name()));
  }

  private void die() {
    any()
        .map(gang -> scene.gang(gang.id().name()))
        .filter(gang -> !gang.members().isEmpty())
        .ifPresent(gang -> {
          Member dead = gang.members().values().getFirst();
          scene.becomes(dead, new MemberState.Ended(false));
          scene.then(new Event.MemberGone(scene.now(), gang.id(), dead.id()));
        });
  }

  private Optional<GangDraft> any() {
    return gangs.isEmpty()
        ? Optional.empty()
        : Optional.of(gangs.get(random.nextInt(gangs.size())));
  }

  private void loseNode() {
    NodeState node =
        scene.cluster().nodes().values().get(random.nextInt(scene.cluster().nodes().size()));
    if (scene.cluster().nodes().size() > 3) {
      lost.add(node);
      scene.then(new Event.NodeGone(scene.now(), node.id()));
      for (var pod : node.occupants().keys()) { // the node's pods are deleted with it
        for (Gang gang : scene.cluster().gangs().values()) {
          if (gang.members().contains(pod)) {
            scene.then(new Event.MemberGone(scene.now(), gang.id(), pod));
          }
        }
        scene.then(new Event.UnmanagedPodGone(scene.now(), pod));
      }
    }
  }

  private void returnNode() {
    if (!lost.isEmpty()) {
      scene.then(new Event.NodeSeen(scene.now(), lost.removeLast().node()));
    }
  }

  private void stranger() {
    NodeState node =
        scene.cluster().nodes().values().get(random.nextInt(scene.cluster().nodes().size()));
    if (node.free().covers(Resources.of(Map.of("cpu", 1000L, "nvidia.com/gpu", 1L)))) {
      NodeId id = node.id();
      scene.then(
          new Event.UnmanagedPodSeen(
              scene.now(),
              Scene.unmanagedPod(id.name()),
              id,
              Resources.of("nvidia.com/gpu", 1),
              1));
    } else {
      scene.then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod(node.id().name())));
    }
  }
}

package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberState;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Scenes with planned gangs that tests of backfilling share.
abstract class BackfillScenes {
  static final Duration SECOND = Duration.ofSeconds(1);
  static final GpuModelPreference A100 = new GpuModelPreference(List.of("A100"), false);
  static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  static final GpuModelPreference P4 = new GpuModelPreference(List.of("P4"), false);

  /// `a` runs on n1 for an hour, `b` on n2 for two; `big` wants both whole and waits.
  static Scene twoBusyNodes() {
    return twoBusyNodes(Policies.DEFAULT);
  }

  static Scene twoBusyNodes(Policies policies) {
    return Scene.of("b/r: n1[....] n2[....]", policies)
        .arrives(gang("a").of(1, 3).running(Duration.ofHours(1)))
        .arrives(gang("b").of(1, 3).running(Duration.ofHours(2)))
        .arrives(gang("big").of(2, 4).running(Duration.ofHours(5)))
        .after(SECOND);
  }

  static Optional<Hold> hold(Scene scene, String name) {
    return scene.cluster().holds().get(GangDraft.gang(name).id());
  }

  static void fails(Scene scene, GangDraft gang, int rank) {
    scene.becomes(
        scene.gang("a").members().get(gang.member(rank, "").id()).orElseThrow(),
        new MemberState.Ended(false));
    scene.then(new Event.MemberGone(scene.now(), gang.id(), gang.member(rank, "").id()));
  }
}

package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A gang is placed on one GPU model unless it allows several.
class GpuModelChoiceTest {
  @Test
  void replacement_gets_the_model_of_the_gpu_members() {
    GangDraft a = gang("a").of(1, 0).of(2, 2);
    Scene scene = Scene.of("b/r: n1:P100[.] n2:V100[....] n3:P100[..]");
    scene.then(new Event.GangSeen(scene.now(), a.spec()));
    scene.becomes(a.member(0, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.becomes(a.member(1, ""), new MemberState.Bound(new NodeId("n2"), scene.now()));
    scene.then(new Event.MemberSeen(scene.now(), a.member(2, "")));
    assertThat(scene.nodesOf("a")).containsExactly("n1", "n2", "n2");
  }

  @Test
  void gang_mixes_models_only_if_it_allows_so() {
    String models = "b/r: n1:V100[..] n2:P100[..]";
    assertThat(Scene.of(models).arrives(gang("a").of(2, 2)).nodesOf("a")).isEmpty();
    GpuModelPreference mix = new GpuModelPreference(List.of(), true);
    assertThat(Scene.of(models).arrives(gang("a").of(2, 2).on(mix)).nodesOf("a")).hasSize(2);
  }

  @Test
  void gang_that_no_single_model_fits_is_refused_with_that_reason() {
    Scene scene = Scene.of("b/r: n1:V100[##..] n2:P100[##..]").arrives(gang("a").of(2, 2));
    assertThat(scene.whyNot("a")).contains(new Veto.NoModelHolds("P100", 4, 2));
  }

  @Test
  void started_gang_is_refused_because_its_model_is_full() {
    Scene scene = Scene.of("b/r: n1:V100[..##] n2:P100[....]");
    scene.arrives(gang("a").of(3, 2).minCount(2));
    assertThat(scene.nodesOf("a")).containsOnly("n2");
    assertThat(scene.whyNot("a")).contains(new Veto.NoModelHolds("P100", 2, 0));
  }

  @Test
  void selector_gets_its_model_and_any_gets_free_gpus() {
    Scene scene = Scene.of("b/r: n1:V100[##] n2:P100[..] n3:P4[..]");
    scene.arrives(gang("p4").of(1, 1).on(new GpuModelPreference(List.of("P4"), false)));
    scene.arrives(gang("any").of(1, 2));
    assertThat(scene.nodesOf("p4")).containsExactly("n3");
    assertThat(scene.nodesOf("any")).containsExactly("n2");
  }
}

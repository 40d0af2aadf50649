package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Claims are computed once for all attempts that see the same use and demand.
class ClaimsCacheTest {
  private static final Queue GUARANTEED = Queue.of("a").guaranteed(Quota.of(8));
  private static final Policies POLICIES =
      Policies.of(
          Queues.of(List.of(GUARANTEED, Queue.of("b"))), Duration.ofMinutes(2), Optional.empty());
  private static final GpuModelPreference H100 =
      new GpuModelPreference(List.of("H100", "X"), false);

  private static Scene scene() {
    return Scene.of("b/r: n1:H100[....####] n2:A100[....####]", POLICIES)
        .arrives(gang("x").of(2, 8).queue("a"))
        .arrives(gang("y").of(3, 8).queue("a").on(H100));
  }

  private static GuaranteeClaims claims(Cluster cluster, GangId gang) {
    return QuotaCheck.of(POLICIES.quota(), GUARANTEED, cluster, cluster.gang(gang)).claims();
  }

  @Test
  void gangs_tried_in_one_image_share_the_claims() {
    Cluster cluster = scene().cluster();
    assertThat(claims(cluster, gang("x").id())).isSameAs(claims(cluster, gang("y").id()));
  }

  @Test
  void claims_hold_in_later_images_with_the_same_use_and_demand() {
    Scene scene = scene();
    GuaranteeClaims claims = claims(scene.cluster(), gang("x").id());
    scene.after(Duration.ofSeconds(1));
    assertThat(claims(scene.cluster(), gang("x").id())).isSameAs(claims);
  }

  @Test
  void claims_before_and_after_an_event_are_both_kept() {
    Scene scene = scene();
    Cluster before = scene.cluster();
    GuaranteeClaims earlier = claims(before, gang("x").id());
    Cluster after = scene.arrives(gang("z").of(1, 8).queue("a")).cluster();
    assertThat(claims(after, gang("x").id())).isNotSameAs(earlier);
    assertThat(claims(before, gang("x").id())).isSameAs(earlier);
  }

  @Test
  void claims_that_do_not_count_are_computed_once_with_the_others() {
    Cluster cluster = scene().cluster();
    GuaranteeClaims claims = claims(cluster, gang("x").id());
    QuotaGate gate = POLICIES.quota().unclaimed(new TreeSet<>(List.of("H100")));
    assertThat(gate.claims().of(cluster)).isSameAs(claims);
  }

  @Test
  void preference_is_compared_with_the_same_models_once() {
    List<String> models = List.of("A100", "H100");
    AcceptedModels first = AcceptedModels.among(models, Optional.empty());
    AcceptedModels second = AcceptedModels.among(models, Optional.of(first));
    assertThat(first.of(H100)).containsExactly("H100").isSameAs(second.of(H100));
  }

  @Test
  void preference_is_compared_again_with_other_models() {
    AcceptedModels first = AcceptedModels.among(List.of("H100"), Optional.empty());
    assertThat(first.of(H100)).containsExactly("H100");
    AcceptedModels second = AcceptedModels.among(List.of("A100", "X"), Optional.of(first));
    assertThat(second.of(H100)).containsExactly("X");
  }

  @Test
  void policies_with_different_caches_are_equal() {
    Queues queues = Queues.of(List.of(GUARANTEED));
    assertThat(new QuotaGate(queues)).isEqualTo(new QuotaGate(queues));
  }
}

package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.DeviceScene;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// News of a ResourceClaim or a template lets the pods be read that name it.
class PodRereadsTest {
  private final List<String> read = new ArrayList<>();
  private final PodRereads rereads = new PodRereads(new RereadQueue(read::add));

  private void see(String name) {
    rereads.seen("ml/" + name, DeviceScene.pod(name, "resourceClaimTemplateName: gpus", ""));
  }

  private void change() {
    rereads.changed(Set.of("ml/gpus"));
  }

  @Test
  void pod_that_names_a_changed_template_is_read_at_once() {
    see("p");
    change();

    assertThat(read).containsExactly("ml/p");
  }

  @Test
  void pod_that_names_a_changed_claim_is_read_at_once() {
    rereads.seen("ml/p", DeviceScene.pod("p", "resourceClaimName: gpus", ""));
    change();

    assertThat(read).containsExactly("ml/p");
  }

  /// Another pod may name a claim that was made for this one, and leave it.
  @Test
  void pod_whose_own_claim_changed_is_read_at_once() {
    Pod pod = DeviceScene.pod("p", "resourceClaimTemplateName: gpus", "");
    PodResourceClaimStatus made = new PodResourceClaimStatus("mine", "made");
    rereads.seen(
        "ml/p", pod.edit().withNewStatus().withResourceClaimStatuses(made).endStatus().build());
    rereads.changed(Set.of("ml/made"));

    assertThat(read).containsExactly("ml/p");
  }

  @Test
  void pod_that_is_gone_is_not_read() {
    see("p");
    rereads.gone("ml/p");
    change();

    assertThat(read).isEmpty();
  }
}

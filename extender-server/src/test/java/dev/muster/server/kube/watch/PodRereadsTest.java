package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.DeviceScene;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// One write of a tenant causes few reads of pods in a second.
class PodRereadsTest {
  private static final int MANY = 5 * PodRereads.IN_A_SECOND;

  private final List<String> read = new ArrayList<>();
  private final PodRereads rereads = new PodRereads(read::add);

  /// Records many pods that name the template.
  private void flood() {
    IntStream.range(0, MANY).forEach(i -> see("p" + i));
  }

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

  @Test
  void pods_beyond_the_limit_wait_for_the_next_seconds() {
    flood();
    change();
    assertThat(read).hasSize(PodRereads.IN_A_SECOND);

    assertThat(rereads.next()).isTrue();
    assertThat(read).hasSize(2 * PodRereads.IN_A_SECOND);
  }

  @Test
  void all_pods_are_read_in_the_end() {
    flood();
    change();
    while (rereads.next()) {}

    assertThat(read).hasSize(MANY).doesNotHaveDuplicates();
  }

  @Test
  void template_that_changes_often_adds_no_reads() {
    flood();
    IntStream.range(0, 20).forEach(_ -> change());
    assertThat(read).hasSize(PodRereads.IN_A_SECOND);

    while (rereads.next()) {}
    assertThat(read).hasSizeLessThanOrEqualTo(MANY + PodRereads.IN_A_SECOND);
  }

  @Test
  void other_namespace_is_read_among_the_first() {
    flood();
    change();
    read.clear();
    rereads.pod("other/p");
    rereads.next();

    assertThat(read.indexOf("other/p")).isBetween(0, 2);
  }
}

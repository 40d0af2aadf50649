package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.dra.PodClaim;
import dev.muster.server.kube.watch.TrimmedStore;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Each entry of a pod beyond its budget is read a few times at most, however many there are.
class LongPodTest {
  private static final int SIZE = 1_000;
  private static final int READS = 4 * SIZE;

  private int reads;

  /// A list that counts how often an entry is read.
  private <T> List<T> counted(IntFunction<T> entry) {
    List<T> entries = IntStream.range(0, SIZE).mapToObj(entry).toList();
    return new AbstractList<>() {
      @Override
      public T get(int index) {
        reads++;
        return entries.get(index);
      }

      @Override
      public int size() {
        return entries.size();
      }
    };
  }

  /// A pod with as many containers, claims and conditions, and a status for each.
  private Pod pod() {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName("p")
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .endStatus()
            .build();
    pod.getSpec()
        .setContainers(
            counted(i ->
                new ContainerBuilder()
                    .withName("c" + i)
                    .withNewResources()
                    .addToRequests("cpu", new Quantity("1"))
                    .endResources()
                    .build()));
    pod.getStatus()
        .setContainerStatuses(
            counted(i ->
                new ContainerStatusBuilder()
                    .withName("c" + i)
                    .withAllocatedResources(Map.of("cpu", new Quantity("2")))
                    .build()));
    pod.getStatus()
        .setConditions(counted(i -> new PodConditionBuilder().withType("t" + i).build()));
    pod.getSpec()
        .setResourceClaims(
            counted(i ->
                new PodResourceClaimBuilder()
                    .withName("g" + i)
                    .withResourceClaimTemplateName("t")
                    .build()));
    pod.getStatus()
        .setResourceClaimStatuses(
            counted(i ->
                new PodResourceClaimStatusBuilder()
                    .withName("g" + i)
                    .withResourceClaimName("p-" + i)
                    .build()));
    return pod;
  }

  @Test
  void requests_are_read_in_linear_time() {
    assertThat(PodRequests.of(pod()).get(Resources.CPU)).isEqualTo(2_000L * SIZE);
    assertThat(reads).isLessThanOrEqualTo(READS);
  }

  @Test
  void pod_is_stored_in_linear_time() {
    Pod pod = pod();
    TrimmedStore.ofPods().put("ml/p", pod);

    assertThat(pod.getStatus().getContainerStatuses()).hasSize(SIZE);
    assertThat(reads).isLessThanOrEqualTo(READS);
  }

  @Test
  void claims_are_read_in_linear_time() {
    assertThat(PodClaim.of(pod()).getLast().claim()).contains("ml/p-" + (SIZE - 1));
    assertThat(reads).isLessThanOrEqualTo(READS);
  }

  @Test
  void pod_beyond_its_budget_is_read_in_linear_time() {
    assertThat(PodCodecScene.CODEC.read(pod())).isInstanceOf(PodFact.Nothing.class);
    assertThat(reads).isLessThanOrEqualTo(4 * READS);
  }
}

package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.DeviceScene;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ReadResult;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Pods request GPUs by their claims.
class DeviceInventoryTest extends DeviceScene {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com}} | 1",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: ExactCount, count: 4}} | 4",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 4}}, {name: s, exactly: {deviceClassName: gpu.nvidia.com}} | 5",
        "{name: r, firstAvailable: [{name: a, deviceClassName: h100, count: 2}, {name: b, deviceClassName: gpu.nvidia.com, count: 4}]} | 4",
        "{name: r, exactly: {deviceClassName: h100, count: 2}} | 2",
        "{name: r, exactly: {deviceClassName: stands-for-it, count: 3}} | 3",
        "{name: r, exactly: {deviceClassName: nic, count: 3}} | 0",
        "{name: r, exactly: {deviceClassName: any, count: 3}} | 0",
        "{name: r, exactly: {deviceClassName: any, count: 3, selectors: [{cel: {expression: 'device.driver == \"gpu.nvidia.com\"'}}]}} | 3",
        "{name: r, exactly: {deviceClassName: nic, count: 3, selectors: [{cel: {expression: 'device.driver != \"gpu.nvidia.com\"'}}]}} | 0",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All, adminAccess: true}} | 0",
      })
  void pod_requests_the_gpus_of_its_template(String requests, int gpus) {
    deviceClass("any", "{}");
    deviceClass("nic", "{selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}");
    deviceClass("stands-for-it", "{extendedResourceName: nvidia.com/gpu}");
    deviceClass(
        "h100",
        "{selectors: [{cel: {expression: 'device.driver == \"gpu.nvidia.com\" && device.attributes[\"gpu.nvidia.com\"].productName.contains(\"H100\")'}}]}");
    template(requests);

    assertThat(claimedByTemplate().get(GPU)).isEqualTo(gpus);
    assertThat(claimedByTemplate().isNone()).isEqualTo(gpus == 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}} | spec.devices.requests[0].exactly.allocationMode is All",
        "{name: r, exactly: {deviceClassName: mig.nvidia.com}} | spec.devices.requests[0].exactly.deviceClassName is \"mig.nvidia.com\", which offers parts of GPUs (mig)",
        "{name: r, exactly: {deviceClassName: nobody}} | no such DeviceClass",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, capacity: {requests: {memory: 10Gi}}}} | spec.devices.requests[0].exactly.capacity",
        "{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com}, {name: b, deviceClassName: nic}]} | spec.devices.requests[0].firstAvailable",
      })
  void uncountable_claim_is_refused_with_the_wrong_field(String requests, String why) {
    deviceClass("nic", "{selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}");
    deviceClass(
        "mig.nvidia.com",
        "{selectors: [{cel: {expression: \"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'\"}}]}");
    template(requests);

    assertThat(problem(pod("p", "resourceClaimTemplateName: gpus", "")))
        .startsWith("ResourceClaimTemplate ml/gpus: the field ")
        .contains(why)
        .containsPattern("\\. (Set|Use|Request|The driver) ");
  }

  /// The API server lets any number pass.
  @Test
  void excessive_numbers_of_gpus_do_not_become_negative() {
    String most =
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 9223372036854775807}}";
    template(most + ", {name: s, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}");

    assertThat(claimedByTemplate().get(GPU)).isGreaterThan(1_000_000);
  }

  @Test
  void question_about_a_pod_that_is_gone_does_not_bring_it_back() {
    claim("a", DIRECT.formatted("a"));
    assertThat(gpus(naming("p0", "a", ""))).isEqualTo(1);
    devices.noPod("ml/p0");
    devices.claimedBy(naming("p0", "a", ""));
    assertThat(gpus(naming("p1", "a", ""))).isEqualTo(1);
  }

  @Test
  void unallocated_claim_counts_for_the_first_pod_that_names_it_only() {
    claim("a", DIRECT.formatted("a"));
    claim("b", DIRECT.formatted("b"));

    assertThat(gpus(naming("p0", "a", ""))).isEqualTo(1);
    assertThat(gpus(naming("p1", "b", ""))).as("another claim").isEqualTo(1);
    assertThat(refusal(naming("p2", "a", "")))
        .isEqualTo(
            "The ResourceClaim a is in use by p0; pods that share GPUs are not supported. Name a ResourceClaimTemplate in spec.resourceClaims, so that each pod has its own claim.");
    assertThat(refusal(naming("p3", "b", ""))).contains("in use by p1");
    assertThat(gpus(naming("p0", "a", ""))).as("read again").isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void claim_is_free_for_others_once_the_first_pod_is_over(boolean deleted) {
    claim("a", DIRECT.formatted("a"));
    devices.pod(naming("p0", "a", ""));
    devices.pod(naming("p1", "a", ""));
    assertThat(devices.freed()).isEmpty();

    if (deleted) {
      devices.noPod("ml/p0");
    } else {
      devices.pod(naming("p0", "a", "status: {phase: Succeeded}"));
    }

    assertThat(devices.freed()).containsExactly("ml/a");
    assertThat(devices.freed()).as("told once").isEmpty();
    assertThat(gpus(naming("p1", "a", ""))).isEqualTo(1);
  }

  /// All counted GPUs are those of the claims, however many pods name each.
  @Property(tries = 200)
  void pods_that_share_claims_request_no_more_than_the_claims(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 3) Integer> claimOfPod) {
    DeviceInventory fresh = new DeviceInventory(List.of(GPU));
    for (int i = 0; i <= 3; i++) {
      fresh.claim(
          "ml/c" + i,
          Optional.of(Serialization.unmarshal(DIRECT.formatted("c" + i), ResourceClaim.class)));
    }
    long counted = 0;
    for (int i = 0; i < claimOfPod.size(); i++) {
      counted +=
          switch (fresh.pod(naming("p" + i, "c" + claimOfPod.get(i), ""))) {
            case ReadResult.Good<Resources>(Resources gpus) -> gpus.get(GPU);
            case ReadResult.Bad<Resources> _ -> 0;
          };
    }
    assertThat(counted).isEqualTo(claimOfPod.stream().distinct().count());
  }

  private static Pod naming(String pod, String claim, String more) {
    return Yaml.pod(
        """
        kind: Pod
        metadata: {namespace: ml, name: %s, uid: u-%s}
        spec: {resourceClaims: [{name: mine, resourceClaimName: %s}]}
        %s
        """
            .formatted(pod, pod, claim, more));
  }

  private long gpus(Pod pod) {
    return switch (devices.pod(pod)) {
      case ReadResult.Good<Resources>(Resources found) -> found.get(GPU);
      case ReadResult.Bad<Resources>(var problem) -> throw new AssertionError(problem);
    };
  }

  private String refusal(Pod pod) {
    return switch (devices.pod(pod)) {
      case ReadResult.Good<Resources>(Resources found) -> throw new AssertionError(found);
      case ReadResult.Bad<Resources>(var problem) -> problem.message();
    };
  }

  @Test
  void webhook_does_not_wait_for_expression_evaluation() throws Exception {
    template("{name: r, exactly: {deviceClassName: gpu.nvidia.com}}");
    synchronized (devices) { // as while all GPUs of the cluster are looked at
      var asked =
          CompletableFuture.supplyAsync(
              () -> devices.mayTakeGpus("ml", List.of(), List.of("gpus")));
      assertThat(asked.get(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  /// A tenant can write labels as often as it likes, and each read of its pods costs something.
  @Test
  void metadata_of_templates_are_no_news() {
    String plain = "metadata: {namespace: ml, name: t, resourceVersion: '1'}";
    String labelled =
        "metadata: {namespace: ml, name: t, resourceVersion: '2', labels: {a: b}, annotations: {c: d}}";

    assertThat(isNews(plain, 1)).isTrue();
    assertThat(isNews(labelled, 1)).isFalse();
    assertThat(isNews(labelled, 2)).isTrue();
  }

  private boolean isNews(String metadata, int count) {
    String spec =
        "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: %d}}]}}}"
            .formatted(count);
    return devices.template(
        "ml/t",
        Optional.of(Serialization.unmarshal(metadata + "\n" + spec, ResourceClaimTemplate.class)));
  }

  @Test
  void metadata_of_device_classes_are_no_news() {
    DeviceClass plain =
        Serialization.unmarshal(
            "metadata: {name: c}\nspec: {extendedResourceName: nvidia.com/gpu}", DeviceClass.class);
    DeviceClass labelled = plain.edit().editMetadata().addToLabels("a", "b").endMetadata().build();
    DeviceClass other = plain.edit().withNewSpec().endSpec().build();

    assertThat(devices.deviceClass("c", Optional.of(plain))).isTrue();
    assertThat(devices.deviceClass("c", Optional.of(labelled))).isFalse();
    assertThat(devices.deviceClass("c", Optional.of(other))).isTrue();
  }

  @Test
  void missing_template_is_named() {
    assertThat(problem(pod("p", "resourceClaimTemplateName: gpus", "")))
        .contains("ResourceClaimTemplate ml/gpus")
        .contains("does not exist");
  }

  @Test
  void allocated_claim_counts_its_devices() {
    slice("s", Yaml.file("slice-h100.yaml"));
    template(
        "{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com, count: 2}, {name: b, deviceClassName: gpu.nvidia.com}]}");
    Pod pod = pod("p", "resourceClaimTemplateName: gpus", "");
    assertThat(claimed(pod)).isEqualTo(Resources.of(GPU, 2));

    allocated("made", "p", "gpu-1");
    Pod after =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: p}
            spec: {resourceClaims: [{name: mine, resourceClaimTemplateName: gpus}]}
            status: {resourceClaimStatuses: [{name: mine, resourceClaimName: made}]}
            """);

    assertThat(claimed(after)).isEqualTo(Resources.of(GPU, 1));
  }

  @Test
  void mig_slice_is_no_gpu() {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("c", "p", "gpu-2-mig-19-0-1");

    assertThat(claimed(pod("p", "resourceClaimName: c", "nodeName: gpu-07")))
        .isEqualTo(Resources.NONE);
  }

  @Test
  void shared_claim_is_counted_once_and_admits_no_further_pod() {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("shared", "first", "gpu-0", "gpu-1");

    assertThat(claimed(pod("first", "resourceClaimName: shared", "nodeName: gpu-07")))
        .isEqualTo(Resources.of(GPU, 2));
    assertThat(claimed(pod("second", "resourceClaimName: shared", "nodeName: gpu-07")))
        .isEqualTo(Resources.NONE);
    assertThat(problem(pod("third", "resourceClaimName: shared", "")))
        .contains("The ResourceClaim shared is in use by first");
  }

  @Test
  void claim_created_by_kube_scheduler_for_a_request_is_not_counted_again() {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("made-by-kube-scheduler", "p", "gpu-0");

    assertThat(claimed(requesting("made-by-kube-scheduler", "gpus"))).isEqualTo(Resources.NONE);
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(1)));
  }

  /// A pod may request by a name that its class gives to GPUs, or by the name of the class.
  @ParameterizedTest
  @ValueSource(strings = {"example.com/h100", "deviceclass.resource.kubernetes.io/gpu.nvidia.com"})
  void claim_created_by_kube_scheduler_for_another_request_is_counted(String name) {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("made-by-kube-scheduler", "p", "gpu-0", "gpu-1");
    Pod pod =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: p}
            spec: {containers: [{name: c, resources: {limits: {%1$s: 2}}}]}
            status:
              extendedResourceClaimStatus:
                resourceClaimName: made-by-kube-scheduler
                requestMappings: [{containerName: c, resourceName: %1$s, requestName: gpus}]
            """
                .formatted(name));

    assertThat(claimed(pod)).isEqualTo(Resources.of(GPU, 2));
  }
}

package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.GpuModel;
import dev.muster.core.gang.Resources;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DevicesTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final String NODE = "gpu-07";

  /// A claim of `ml` that nobody has yet.
  private static final String DIRECT =
      """
      metadata: {namespace: ml, name: %s}
      spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}]}}
      """;

  private final Devices devices = new Devices(List.of(GPU, "gpu.intel.com/i915"));

  private Set<String> slice(String name, String yaml) {
    return devices.slice(name, Optional.of(Yaml.slice(yaml)));
  }

  /// A slice of two GPUs.
  private Set<String> slice(String name, int generation, int slices, String device) {
    return slice(
        name,
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: gpu-07
          pool: {name: gpu-07, generation: %d, resourceSliceCount: %d}
          devices: [{name: %s}]
        """
            .formatted(name, generation, slices, device));
  }

  /// A claim of `ml` that has these devices of the node.
  private Set<String> allocated(String name, String user, String... given) {
    StringBuilder results = new StringBuilder();
    for (String device : given) {
      results.append(
          "{request: gpus, driver: gpu.nvidia.com, pool: gpu-07, device: %s},".formatted(device));
    }
    return claim(
        name,
        """
        metadata: {namespace: ml, name: %s}
        spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}
        status:
          allocation: {devices: {results: [%s]}}
          reservedFor: [{resource: pods, name: %s, uid: %s}]
        """
            .formatted(name, results, user, user));
  }

  private Set<String> claim(String name, String yaml) {
    return devices
        .claim("ml/" + name, Optional.of(Serialization.unmarshal(yaml, ResourceClaim.class)))
        .orElse(Set.of());
  }

  private void template(String request) {
    devices.template(
        "ml/gpus",
        Optional.of(
            Serialization.unmarshal(
                """
                metadata: {namespace: ml, name: gpus}
                spec: {spec: {devices: {requests: [%s]}}}
                """
                    .formatted(request),
                ResourceClaimTemplate.class)));
  }

  private void deviceClass(String name, String spec) {
    devices.deviceClass(
        name,
        Optional.of(
            Serialization.unmarshal(
                "metadata: {name: %s}\nspec: %s".formatted(name, spec), DeviceClass.class)));
  }

  private static Pod pod(String uid, String claim, String more) {
    return Yaml.pod(
        """
        kind: Pod
        metadata: {namespace: ml, name: %s, uid: %s}
        spec:
          resourceClaims: [{name: mine, %s}]
          %s
        """
            .formatted(uid, uid, claim, more));
  }

  private Resources claimed(Pod pod) {
    return switch (devices.claimedBy(pod)) {
      case Read.Good<Resources>(Resources gpus) -> gpus;
      case Read.Bad<Resources>(Problem problem) -> throw new AssertionError(problem);
    };
  }

  private Resources claimedByTemplate() {
    return claimed(pod("p", "resourceClaimTemplateName: gpus", ""));
  }

  private String problem(Pod pod) {
    return switch (devices.claimedBy(pod)) {
      case Read.Good<Resources>(Resources gpus) -> throw new AssertionError(gpus);
      case Read.Bad<Resources>(Problem problem) -> problem.message();
    };
  }

  @Test
  void aNodeHasTheWholeGpusOfItsSlices() {
    assertThat(slice("s", Yaml.file("slice-h100.yaml"))).containsExactly(NODE);

    assertThat(devices.of(NODE))
        .isEqualTo(
            new NodeGpus(
                Resources.of(GPU, 2),
                Optional.of(new TreeSet<>(Set.of(0, 1))),
                new GpuModel("NVIDIA-H100-80GB-HBM3", GpuModel.Kind.WHOLE, 81559, "570.124.6")));
    assertThat(devices.of("gpu-08")).isEqualTo(NodeGpus.NONE);
  }

  @Test
  void aGpuIsFreeUntilAClaimHasItAndAfterTheClaimIsGone() {
    slice("s", Yaml.file("slice-h100.yaml"));

    assertThat(allocated("c", "p", "gpu-1")).as("nodes to look at").containsExactly(NODE);
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0)));
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));
    assertThat(allocated("c", "p", "gpu-1")).as("no news").isEmpty();
    assertThat(devices.claim("ml/c", Optional.empty()).orElseThrow()).containsExactly(NODE);
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0, 1)));
  }

  @Test
  void aClaimThatOnlyWatchesTakesNothing() {
    slice("s", Yaml.file("slice-h100.yaml"));
    claim(
        "monitor",
        """
        metadata: {namespace: ml, name: monitor}
        status:
          allocation: {devices: {results: [{request: all, driver: gpu.nvidia.com, pool: gpu-07, device: gpu-0, adminAccess: true}]}}
        """);

    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0, 1)));
    assertThat(claimed(pod("p", "resourceClaimName: monitor", ""))).isEqualTo(Resources.NONE);
  }

  @Test
  void slicesOfAnEarlierGenerationAreVoidAndAnIncompletePoolOffersNothing() {
    slice("old", 1, 1, "gpu-0");
    slice("new-a", 2, 2, "gpu-0");
    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);

    slice("new-b", 2, 2, "gpu-1");
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));

    devices.slice("old", Optional.empty());
    assertThat(devices.slice("new-b", Optional.empty())).containsExactly(NODE);
    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);
  }

  /// One slice of the pool holds what is of no single node, as counters that GPUs share.
  @Test
  void aPoolIsCompleteWithSlicesThatAreOfNoSingleNode() {
    slice("s", 1, 2, "gpu-0");
    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);

    assertThat(
            slice(
                "counters",
                """
                metadata: {name: counters}
                spec:
                  driver: gpu.nvidia.com
                  allNodes: true
                  pool: {name: gpu-07, generation: 1, resourceSliceCount: 2}
                  sharedCounters: [{name: gpu-0, counters: {memory: {value: 80Gi}}}]
                """))
        .as("nodes to look at")
        .containsExactly(NODE);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 1));
  }

  @Test
  void allNodesOfAPoolAreLookedAtWhenItIsComplete() {
    String yaml =
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %s
          pool: {name: rack, generation: 1, resourceSliceCount: 2}
          devices: [{name: %s}]
        """;
    assertThat(slice("a", yaml.formatted("a", "node-a", "gpu-0"))).containsExactly("node-a");

    assertThat(slice("b", yaml.formatted("b", "node-b", "gpu-1")))
        .containsExactly("node-a", "node-b");
    assertThat(devices.of("node-a").offered()).isEqualTo(Resources.of(GPU, 1));
    assertThat(slice("b", yaml.formatted("b", "node-b", "gpu-2"))).containsExactly("node-b");

    assertThat(devices.slice("b", Optional.empty())).containsExactly("node-a", "node-b");
    assertThat(devices.of("node-a")).isEqualTo(NodeGpus.NONE);
  }

  @Test
  void aTaintedGpuIsOfferedToNobodyButCountsWhileInUse() {
    slice(
        "s",
        """
        metadata: {name: s}
        spec:
          driver: gpu.nvidia.com
          nodeName: gpu-07
          pool: {name: gpu-07, generation: 1, resourceSliceCount: 1}
          devices: [{name: gpu-0, taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}]}, {name: gpu-1}]
        """);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 1));

    allocated("c", "p", "gpu-0");
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(1)));
  }

  @Test
  void aGpuOfWhichSomebodyHasAPartIsOfferedToNobody() {
    slice(
        "s",
        """
        metadata: {name: s}
        spec:
          driver: gpu.nvidia.com
          nodeName: gpu-07
          pool: {name: gpu-07, generation: 1, resourceSliceCount: 1}
          devices:
          - {name: gpu-0, consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 80Gi}}}]}
          - {name: gpu-1, consumesCounters: [{counterSet: gpu-1, counters: {memory: {value: 80Gi}}}]}
          - {name: gpu-1-mig-0, attributes: {type: {string: mig}}, consumesCounters: [{counterSet: gpu-1, counters: {memory: {value: 10Gi}}}]}
        """);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));

    assertThat(allocated("c", "p", "gpu-1-mig-0")).containsExactly(NODE);
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 1));
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(0)));

    devices.claim("ml/c", Optional.empty());
    assertThat(devices.of(NODE).offered()).isEqualTo(Resources.of(GPU, 2));
  }

  @Test
  void devicesOfOtherDriversAndOfNoSingleNodeAreNotCounted() {
    slice(
        "nic",
        "spec: {driver: dra.net, nodeName: gpu-07, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: nic-0}]}");
    slice(
        "anywhere",
        "spec: {driver: gpu.nvidia.com, allNodes: true, pool: {name: q, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}");

    assertThat(devices.of(NODE)).isEqualTo(NodeGpus.NONE);
  }

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
  void aPodAsksForTheGpusOfItsTemplate(String requests, int gpus) {
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
        "{name: r, exactly: {deviceClassName: mig.nvidia.com}} | spec.devices.requests[0].exactly.deviceClassName is \"mig.nvidia.com\", which gives parts of GPUs (mig)",
        "{name: r, exactly: {deviceClassName: nobody}} | there is no such DeviceClass",
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, capacity: {requests: {memory: 10Gi}}}} | spec.devices.requests[0].exactly.capacity",
        "{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com}, {name: b, deviceClassName: nic}]} | spec.devices.requests[0].firstAvailable",
      })
  void whatCannotBeCountedIsRefusedWithTheFieldThatIsWrong(String requests, String why) {
    deviceClass("nic", "{selectors: [{cel: {expression: 'device.driver == \"dra.net\"'}}]}");
    deviceClass(
        "mig.nvidia.com",
        "{selectors: [{cel: {expression: \"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'\"}}]}");
    template(requests);

    assertThat(problem(pod("p", "resourceClaimTemplateName: gpus", "")))
        .startsWith("ResourceClaimTemplate ml/gpus: the field ")
        .contains(why)
        .contains("Maybe");
  }

  /// The API server lets any number pass.
  @Test
  void absurdNumbersOfGpusAreNotFewerThanNone() {
    String most =
        "{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 9223372036854775807}}";
    template(most + ", {name: s, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}");

    assertThat(claimedByTemplate().get(GPU)).isGreaterThan(1_000_000);
    assertThat(areGpus("", "gpus")).isTrue();
  }

  @Test
  void itIsKnownWhichTemplatesAndClaimsAreGpus() {
    template("{name: r, exactly: {deviceClassName: gpu.nvidia.com}}");
    claim("direct", DIRECT.formatted("direct"));
    claim(
        "nic",
        """
        metadata: {namespace: ml, name: nic}
        spec: {devices: {requests: [{name: r, exactly: {deviceClassName: nobody}}]}}
        """);

    assertThat(areGpus("", "gpus")).isTrue();
    assertThat(areGpus("direct", "")).isTrue();
    assertThat(areGpus("nic", "")).isFalse();
    assertThat(areGpus("", "direct")).as("a claim is no template").isFalse();
    assertThat(areGpus("gpus", "")).as("a template is no claim").isFalse();
    assertThat(areGpus("direct,nic", "gpus")).as("of one nobody knows").isFalse();
    assertThat(areGpus("", "")).isFalse();
    assertThat(devices.areGpus(List.of(), List.of("prod/gpus"))).isFalse();
  }

  /// Whether a new pod of `ml` that names these claims and templates asks for GPUs.
  private boolean areGpus(String claims, String templates) {
    return devices.areGpus(keys(claims), keys(templates));
  }

  private static List<String> keys(String names) {
    return Stream.of(names.split(",", -1)).filter(n -> !n.isEmpty()).map(n -> "ml/" + n).toList();
  }

  @Test
  void aClaimThatAnotherPodHasIsNotCountedForANewOne() {
    claim("shared", DIRECT.formatted("shared"));
    assertThat(areGpus("shared", "")).isTrue();

    allocated("shared", "first", "gpu-0");

    assertThat(areGpus("shared", "")).isFalse();
  }

  @Test
  void ofAClaimThatCannotBeCountedNobodyKnows() {
    claim("direct", DIRECT.formatted("direct"));
    template("{name: r, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}");

    assertThat(areGpus("direct", "gpus")).isFalse();
  }

  @Test
  void theWebhookDoesNotWaitWhileExpressionsAreEvaluated() throws Exception {
    template("{name: r, exactly: {deviceClassName: gpu.nvidia.com}}");
    synchronized (devices) { // as while all GPUs of the cluster are looked at
      var asked = CompletableFuture.supplyAsync(() -> areGpus("", "gpus"));
      assertThat(asked.get(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aTemplateThatIsNotThereIsNamed() {
    assertThat(problem(pod("p", "resourceClaimTemplateName: gpus", "")))
        .contains("ResourceClaimTemplate ml/gpus")
        .contains("Maybe");
  }

  @Test
  void onceAllocatedAClaimCountsAsWhatItHas() {
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
  void aMigSliceIsNoGpu() {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("c", "p", "gpu-2-mig-19-0-1");

    assertThat(claimed(pod("p", "resourceClaimName: c", "nodeName: gpu-07")))
        .isEqualTo(Resources.NONE);
  }

  @Test
  void aClaimThatPodsShareIsCountedOnceAndNobodyElseIsPlacedWithIt() {
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
  void whatKubeSchedulerClaimsForARequestIsNotCountedAgain() {
    slice("s", Yaml.file("slice-h100.yaml"));
    allocated("made-by-kube-scheduler", "p", "gpu-0");
    Pod pod =
        Yaml.pod(
            """
            metadata: {namespace: ml, name: p, uid: p}
            spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}
            status:
              extendedResourceClaimStatus:
                resourceClaimName: made-by-kube-scheduler
                requestMappings: [{containerName: c, resourceName: nvidia.com/gpu, requestName: gpus}]
            """);

    assertThat(claimed(pod)).isEqualTo(Resources.NONE);
    assertThat(devices.of(NODE).free()).contains(new TreeSet<>(Set.of(1)));
  }

  /// A pod may also ask by a name that its class gives to GPUs, or by the name of the class.
  @ParameterizedTest
  @ValueSource(strings = {"example.com/h100", "deviceclass.resource.kubernetes.io/gpu.nvidia.com"})
  void whatKubeSchedulerClaimsForARequestOfAnotherNameIsCounted(String name) {
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

package dev.muster.server.kube;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.dra.DeviceInventory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Devices that receive slices, claims, templates and classes.
public abstract class DeviceScene {
  public static final String GPU = "nvidia.com/gpu";
  public static final String NODE = "gpu-07";

  /// A claim of `ml` without a holder.
  public static final String DIRECT =
      """
      metadata: {namespace: ml, name: %s}
      spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com}}]}}
      """;

  public final DeviceInventory devices =
      new DeviceInventory(List.of(GPU, "gpu.intel.com/i915"), () -> 0);

  public Set<String> slice(String name, String yaml) {
    return devices.slice(name, Optional.of(Yaml.slice(yaml)));
  }

  /// A slice of one GPU.
  public Set<String> slice(String name, int generation, int slices, String device) {
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
  public Set<String> allocated(String name, String user, String... given) {
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

  public Set<String> claim(String name, String yaml) {
    return devices
        .claim("ml/" + name, Optional.of(Serialization.unmarshal(yaml, ResourceClaim.class)))
        .orElse(Set.of());
  }

  public void template(String request) {
    template("gpus", request);
  }

  public void template(String name, String request) {
    devices.template(
        "ml/" + name,
        Optional.of(
            Serialization.unmarshal(
                """
                metadata: {namespace: ml, name: %s}
                spec: {spec: {devices: {requests: [%s]}}}
                """
                    .formatted(name, request),
                ResourceClaimTemplate.class)));
  }

  public void deviceClass(String name, String spec) {
    devices.deviceClass(
        name,
        Optional.of(
            Serialization.unmarshal(
                "metadata: {name: %s}\nspec: %s".formatted(name, spec), DeviceClass.class)));
  }

  public static Pod pod(String uid, String claim, String more) {
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

  /// A pod for whose container, which requests a GPU, kube-scheduler has made the claim.
  public static Pod requesting(String claim, String request) {
    return Yaml.pod(
        """
        metadata: {namespace: ml, name: p, uid: p}
        spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}
        status:
          extendedResourceClaimStatus:
            resourceClaimName: %s
            requestMappings: [{containerName: c, resourceName: nvidia.com/gpu, requestName: %s}]
        """
            .formatted(claim, request));
  }

  public Resources claimed(Pod pod) {
    return switch (devices.pod(pod)) {
      case ReadResult.Good<Resources>(Resources gpus) -> gpus;
      case ReadResult.Bad<Resources>(ObjectProblem problem) -> throw new AssertionError(problem);
    };
  }

  public Resources claimedByTemplate() {
    return claimed(pod("p", "resourceClaimTemplateName: gpus", ""));
  }

  public String problem(Pod pod) {
    return switch (devices.pod(pod)) {
      case ReadResult.Good<Resources>(Resources gpus) -> throw new AssertionError(gpus);
      case ReadResult.Bad<Resources>(ObjectProblem problem) -> problem.message();
    };
  }
}

package dev.muster.server.kube.dra;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.ReadResult;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Fuzz target: a ResourceClaim as the API server could send it, beside a pod that uses it. The pod
/// is counted, or refused with a sentence.
public final class ClaimFuzz {
  private static final Pod POD =
      new PodBuilder()
          .withNewMetadata()
          .withNamespace("ml")
          .withName("p")
          .withUid("u")
          .endMetadata()
          .withNewSpec()
          .addNewResourceClaim()
          .withName("x")
          .withResourceClaimName("c")
          .endResourceClaim()
          .addNewContainer()
          .withName("a")
          .withNewResources()
          .addNewClaim()
          .withName("x")
          .endClaim()
          .endResources()
          .endContainer()
          .endSpec()
          .build();

  private static final DeviceClass CLASS =
      new DeviceClassBuilder()
          .withNewMetadata()
          .withName("gpu.nvidia.com")
          .withUid("d")
          .endMetadata()
          .withNewSpec()
          .withExtendedResourceName("nvidia.com/gpu")
          .endSpec()
          .build();

  private ClaimFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    ResourceClaim claim;
    try {
      claim =
          ObjectTrimmer.serialization()
              .unmarshal(new String(input, StandardCharsets.UTF_8), ResourceClaim.class);
    } catch (RuntimeException _) {
      return; // the client refuses it
    }
    if (claim != null && claim.getMetadata() == null) {
      return; // the API server always fills it in
    }
    DeviceInventory devices = new DeviceInventory(List.of("nvidia.com/gpu"));
    devices.deviceClass("gpu.nvidia.com", Optional.of(CLASS));
    devices.claim("ml/c", Optional.ofNullable(claim));
    devices.selectAgain();
    devices.of("n1");
    devices.mayTakeGpus("ml", List.of("c"), List.of());
    if (devices.pod(POD) instanceof ReadResult.Bad<Resources>(ObjectProblem problem)
        && problem.message().contains(ObjectProblem.UNFORESEEN)) {
      throw new IllegalStateException(problem.message());
    }
  }
}

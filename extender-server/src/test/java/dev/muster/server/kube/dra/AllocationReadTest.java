package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.parse.FieldSelection;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The allocation of a claim is read as a whole, or some of its devices would look free.
class AllocationReadTest {
  /// Kubernetes copies the tolerations of a request to each device.
  @Test
  void all_devices_of_a_claim_are_read_whatever_their_tolerations() throws IOException {
    String toleration = "{\"key\": \"%s\", \"value\": \"v\"}".formatted("k".repeat(300));
    String result =
        """
        {"request": "r", "driver": "gpu.nvidia.com", "pool": "gpu-07", "device": "gpu-%%d",
         "tolerations": [%s]}
        """
            .formatted(
                IntStream.range(0, 16).mapToObj(_ -> toleration).collect(Collectors.joining(",")));
    String json =
        """
        {"metadata": {"namespace": "ml", "name": "a", "uid": "a"}, "spec": {"devices": {}},
         "status": {"allocation": {"devices": {"results": [%s]}}}}
        """
            .formatted(
                IntStream.range(0, 32)
                    .mapToObj(i -> result.formatted(i))
                    .collect(Collectors.joining(",")));
    try (JsonParser parser = ObjectTrimmer.mapper().createParser(json)) {
      ResourceClaim claim = ObjectTrimmer.read(parser, ResourceClaim.class, FieldSelection.ALL);
      assertThat(claim.getStatus().getAllocation().getDevices().getResults()).hasSize(32);
    }
  }
}

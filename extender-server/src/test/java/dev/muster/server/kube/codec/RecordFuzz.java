package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/// Fuzz target: the text of Muster's records in annotations. A PodGroup stays valid, and its
/// records are read or ignored, whatever they say.
public final class RecordFuzz {
  private RecordFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    for (String record : WellKnownNames.RECORDS) {
      GenericKubernetesResource group =
          new GenericKubernetesResourceBuilder()
              .withNewMetadata()
              .withNamespace("ml")
              .withName("train")
              .withUid("u1")
              .withCreationTimestamp("2026-11-01T00:00:00Z")
              .withAnnotations(Map.of(record, text))
              .endMetadata()
              .addToAdditionalProperties("spec", Map.of("minMember", 2))
              .build();
      var codec = new PodGroupCodec(PodGroupDialect.SCHEDULER_PLUGINS, _ -> Optional.empty());
      if (codec.read(group) instanceof ReadResult.Bad<GangSpec> bad) {
        throw new IllegalStateException(record + ": " + bad.problem().message());
      }
      ReservationRecord.promises(group, _ -> true);
      VictimsRecord.victims(group);
    }
  }
}

package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Optional;

/// Fuzz target: a PodGroup of any dialect, with its records. A problem is a sentence about it.
public final class PodGroupFuzz {
  private PodGroupFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    GenericKubernetesResource group = PodFuzz.parsed(input, GenericKubernetesResource.class);
    if (group == null || !PodFuzz.isNamed(group)) {
      return;
    }
    for (PodGroupDialect dialect : PodGroupDialect.values()) {
      if (new PodGroupCodec(dialect, _ -> Optional.empty()).read(group)
          instanceof ReadResult.Bad<GangSpec> bad) {
        PodFuzz.checkSentence(bad.problem().message());
      }
    }
  }
}

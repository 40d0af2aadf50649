package dev.muster.server.kube.owner;

import dev.muster.policy.config.OwnerEntry;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.owner.kind.Fields;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Fuzz target: an owner, read as each kind. Whatever its fields are, the sizes of its gangs are
/// between 1 and [Fields#MOST].
public final class OwnerFuzz {
  private static final List<OwnerKind> KINDS =
      OwnerKinds.with(
              List.of(
                  new OwnerEntry(
                      "example.com/v1",
                      "Training",
                      "trainings",
                      "example.com/training",
                      Optional.of("spec.workers"),
                      Optional.empty())))
          .kinds();

  private OwnerFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    GenericKubernetesResource owner;
    try {
      owner =
          ObjectTrimmer.serialization()
              .unmarshal(
                  new String(input, StandardCharsets.UTF_8), GenericKubernetesResource.class);
    } catch (RuntimeException _) {
      return; // the client refuses it
    }
    if (owner == null
        || owner.getMetadata() == null
        || owner.getMetadata().getNamespace() == null
        || owner.getMetadata().getName() == null
        || owner.getMetadata().getUid() == null) {
      return;
    }
    OwnerTrimmer.trim(owner);
    for (OwnerKind kind : KINDS) {
      OwnerFacts.of(kind, owner, List.of("nvidia.com/gpu"))
          .parts()
          .forEach((name, part) -> {
            if (part.minimum() < 0 || part.minimum() > Fields.MOST || part.over() < 0) {
              throw new IllegalStateException(kind.api().kind() + " " + name + ": " + part);
            }
          });
    }
  }
}

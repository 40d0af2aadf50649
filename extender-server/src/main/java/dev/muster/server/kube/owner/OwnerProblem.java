package dev.muster.server.kube.owner;

import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Optional;

/// The problem of an owner that is too large. Its gang would be too small if a part counted.
public final class OwnerProblem {
  private static final String NO_GANG = "false";

  private OwnerProblem() {}

  /// Returns the problem of the owner; empty if all that concerns its gang was read.
  public static Optional<ObjectProblem> of(GenericKubernetesResource owner) {
    return formsNoGang(owner)
        ? Optional.empty()
        : ObjectBudget.cut(owner)
            .map(cut ->
                new ObjectProblem(
                    ObjectRef.to(owner),
                    ObjectProblem.INVALID,
                    cut
                        + " So its gang keeps the size that was read before. If there is none, its pods"
                        + " wait. With the label muster.dev/gang: \"false\" they start one by one."));
  }

  /// True if the owner asks for no gang, whatever else it states.
  static boolean formsNoGang(GenericKubernetesResource owner) {
    return NO_GANG.equals(ObjectMetadata.labels(owner).get(WellKnownNames.FORMS_GANG));
  }
}

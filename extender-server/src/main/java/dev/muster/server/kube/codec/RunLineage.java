package dev.muster.server.kube.codec;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/// Identifies runs of one workload by their namespace and the name of their owner. The part of the
/// name that differs between runs is removed.
final class RunLineage {
  /// A number, or the random letters that Kubernetes appends to generated names.
  private static final Pattern RUN =
      Pattern.compile("(?<=[^-])-(?:\\d+|[bcdfghjklmnpqrstvwxz2456789]{5}|[bcdf0-9a-f]{8,10})$");

  /// Number of suffixes that are removed; controllers that create each other append one each.
  private static final int SUFFIXES = 10;

  private RunLineage() {}

  /// Returns the workload: `ml/train-resnet` for `train-resnet-x7k2p` and
  /// `train-resnet-20261101-3`.
  static String of(HasMetadata object) {
    String maker =
        maker(object).map(OwnerReference::getName).orElse(object.getMetadata().getName());
    return object.getMetadata().getNamespace() + "/" + stem(maker);
  }

  /// Returns the controller that created the object, if any.
  static Optional<OwnerReference> maker(HasMetadata object) {
    return Objects.requireNonNullElseGet(
            object.getMetadata().getOwnerReferences(), List::<OwnerReference>of)
        .stream()
        .filter(owner -> Objects.requireNonNullElse(owner.getController(), false))
        .findFirst();
  }

  static String stem(String name) {
    String stem = name;
    for (int i = 0; i < SUFFIXES; i++) {
      stem = RUN.matcher(stem).replaceFirst("");
    }
    return stem;
  }
}

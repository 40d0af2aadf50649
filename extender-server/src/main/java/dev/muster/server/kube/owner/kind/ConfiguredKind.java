package dev.muster.server.kube.owner.kind;

import dev.muster.policy.config.OwnerEntry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A kind of owner from the configuration. All its pods are one gang, with GPUs or without.
record ConfiguredKind(OwnerEntry entry) implements OwnerKind {
  private static final String PODS = "pods";

  @Override
  public Api api() {
    return new Api(
        entry.kind(),
        List.of(entry.apiVersion()),
        entry.plural(),
        "",
        entry.sizeField().map(Set::of).orElseGet(Set::of));
  }

  @Override
  public Set<String> keys() {
    return Stream.concat(Stream.of(entry.groupLabel()), entry.sizeLabel().stream())
        .collect(Collectors.toSet());
  }

  @Override
  public Optional<PodRole> role(OwnedPod pod) {
    String owner = pod.said(entry.groupLabel());
    OptionalInt size = entry.sizeLabel().map(pod::number).orElseGet(OptionalInt::empty);
    return owner.isEmpty() || pod.controllerKind().isEmpty()
        ? Optional.empty()
        : Optional.of(new PodRole(owner, "", OptionalInt.empty(), PODS, true, size));
  }

  @Override
  public Optional<String> sizeLabel() {
    return entry.sizeLabel();
  }

  /// The size that the pods state, if they do, replaces the count of the role.
  @Override
  public List<OwnerRole> roles(Fields owner) {
    int count =
        entry
            .sizeField()
            .map(path -> owner.at(path.split("\\.", -1)).number().orElse(0))
            .orElse(Fields.MOST);
    return List.of(new OwnerRole(PODS, count, PodTemplate.UNKNOWN));
  }
}

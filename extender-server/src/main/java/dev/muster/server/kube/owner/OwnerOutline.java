package dev.muster.server.kube.owner;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.owner.kind.Fields;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.Claim;
import dev.muster.server.kube.owner.kind.OwnerRole;
import dev.muster.server.kube.owner.kind.PodRole;
import dev.muster.server.kube.owner.kind.PodTemplate;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// The gangs that an owner will have, and the pods that its controller will create.
///
/// @param gangs its gangs, by name
/// @param pods its pods, by template
public record OwnerOutline(List<PlannedGang> gangs, List<PlannedPods> pods) {
  /// A gang that an owner will have.
  ///
  /// @param name name of its PodGroup
  /// @param minimum pods without which it does not start
  /// @param labels labels of its PodGroup
  /// @param annotations annotations of its PodGroup
  public record PlannedGang(
      String name,
      int minimum,
      SortedMap<String, String> labels,
      SortedMap<String, String> annotations) {}

  /// Pods that an owner will have.
  ///
  /// @param role name of the pods, unique in the owner; empty if it has one role
  /// @param count their number
  /// @param gang name of their gang; empty if each of them is alone
  /// @param template their template
  public record PlannedPods(String role, int count, Optional<String> gang, PodTemplate template) {}

  /// Returns what the owner will have; empty if it has no gang.
  ///
  /// @param size the size of its gang that its pods will state, if they will
  public static Optional<OwnerOutline> of(
      OwnerKind kind,
      GenericKubernetesResource owner,
      Collection<String> accelerators,
      OptionalInt size) {
    Fields fields = OwnerFacts.fields(owner);
    if (!kind.selects(fields)) {
      return Optional.empty();
    }
    OwnerFacts facts = OwnerFacts.of(kind, owner, accelerators);
    List<OwnerRole> roles = kind.roles(fields);
    Map<String, PlannedGang> gangs = new TreeMap<>();
    List<PlannedPods> pods = new ArrayList<>();
    OptionalInt replicas = kind.replicas(fields);
    for (int i = 0; i < replicas.orElse(1); i++) {
      OptionalInt replica = replicas.isPresent() ? OptionalInt.of(i) : replicas;
      for (OwnerRole role : roles) {
        Optional<Claim> claim =
            OwnerKinds.claim(
                kind,
                facts.object().namespace(),
                new PodRole(facts.object().name(), "", replica, role.name(), true, size));
        Optional<String> gang = claim.flatMap(facts::gang).map(GangId::name);
        gang.ifPresent(name ->
            gangs.put(
                name,
                new PlannedGang(
                    name,
                    facts.minimum(claim.orElseThrow().role()).orElse(1),
                    facts.labels(),
                    facts.annotations())));
        String name = roles.size() == 1 ? "" : role.name().replace('/', '-');
        pods.add(
            new PlannedPods(
                replicas.isPresent() ? i + "-" + name : name,
                size.orElse(role.count()),
                gang,
                role.template()));
      }
    }
    return gangs.isEmpty()
        ? Optional.empty()
        : Optional.of(new OwnerOutline(List.copyOf(gangs.values()), List.copyOf(pods)));
  }
}

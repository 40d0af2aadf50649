package dev.muster.server.kube.owner.kind;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.policy.config.OwnerEntry;
import dev.muster.server.kube.client.ObjectMetadata;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The table of all kinds of owners whose pods are a gang without a PodGroup of their user.
///
/// @param kinds the kinds; of several that claim a pod, the first one decides
public record OwnerKinds(List<OwnerKind> kinds) {
  private static final List<OwnerKind> KNOWN =
      List.of(
          new JobSetKind(),
          new LeaderWorkerSetKind(),
          new MpiJobKind(),
          new TrainingJobKind("PyTorchJob", "pytorchReplicaSpecs"),
          new TrainingJobKind("TFJob", "tfReplicaSpecs"),
          new TrainingJobKind("XGBoostJob", "xgbReplicaSpecs"),
          new TrainingJobKind("PaddleJob", "paddleReplicaSpecs"),
          new TrainingJobKind("JAXJob", "jaxReplicaSpecs"),
          new RayClusterKind(),
          new BatchJobKind());

  /// No kind: only PodGroups of users declare gangs.
  public static final OwnerKinds NONE = new OwnerKinds(List.of());

  public OwnerKinds {
    kinds = List.copyOf(kinds);
  }

  /// Returns the kinds that Muster knows, after these of the configuration, which replace those of
  /// their name. [OwnerRules] refuses the name of a known kind in another group.
  public static OwnerKinds with(List<OwnerEntry> configured) {
    Set<String> replaced = configured.stream().map(OwnerEntry::kind).collect(Collectors.toSet());
    return new OwnerKinds(
        Stream.concat(
                configured.stream().map(ConfiguredKind::new),
                KNOWN.stream().filter(kind -> !replaced.contains(kind.api().kind())))
            .toList());
  }

  /// Returns the labels and annotations of all kinds in which pods state their owners.
  public Set<String> keys() {
    return kinds.stream().flatMap(kind -> kind.keys().stream()).collect(Collectors.toSet());
  }

  /// A pod and the owner that it states.
  ///
  /// @param kind kind of the owner
  /// @param gang the gang that the owner may have
  /// @param role what the pod states
  public record Claim(OwnerKind kind, GangId gang, PodRole role) implements Comparable<Claim> {
    private static final Comparator<Claim> ORDER =
        Comparator.comparing(Claim::gang)
            .thenComparing(Claim::role)
            .thenComparing(claim -> claim.kind.api().kind());

    /// Returns the gang of pods that are a part of the owner; the main part has no name.
    public GangId part(String part) {
      return part.isEmpty()
          ? gang
          : new GangId(gang.namespace(), gang.origin(), gang.name() + "." + part.replace('/', '-'));
    }

    /// Returns the group of pods whose owner has the name of this one, but another uid.
    public GangId another() {
      return gang.apart(role.uid());
    }

    /// Returns the gang of the pod where the PodGroups are known, but not their owners.
    public Optional<GangId> among(Predicate<GangId> declared) {
      return Stream.of(part(role.role()), gang).filter(declared).findFirst();
    }

    /// Returns the owner, unique in the cluster.
    public OwnerKey owner() {
      return new OwnerKey(kind.api().kind(), gang.namespace(), role.owner());
    }

    @Override
    public int compareTo(Claim other) {
      return ORDER.compare(this, other);
    }
  }

  /// The name of an owner.
  ///
  /// @param kind its kind
  /// @param namespace its namespace
  /// @param name its name
  public record OwnerKey(String kind, String namespace, String name)
      implements Comparable<OwnerKey> {
    private static final Comparator<OwnerKey> ORDER =
        Comparator.comparing(OwnerKey::namespace)
            .thenComparing(OwnerKey::name)
            .thenComparing(OwnerKey::kind);

    /// Returns the name of the owner with this key, `namespace/name`.
    public static OwnerKey of(OwnerKind kind, String key) {
      int slash = key.indexOf('/');
      return new OwnerKey(kind.api().kind(), key.substring(0, slash), key.substring(slash + 1));
    }

    @Override
    public int compareTo(OwnerKey other) {
      return ORDER.compare(this, other);
    }
  }

  /// Returns the owner that the pod states; empty if it is of no known kind.
  public Optional<Claim> claim(OwnedPod pod) {
    for (OwnerKind kind : kinds) {
      Optional<PodRole> role = kind.role(pod);
      if (role.isPresent()) {
        return claim(kind, pod.namespace(), role.get());
      }
    }
    return Optional.empty();
  }

  /// Returns what a pod in this role states; empty if no object may have the name of its gang.
  public static Optional<Claim> claim(OwnerKind kind, String namespace, PodRole role) {
    String name = name(kind, role);
    return ObjectMetadata.isName(name)
        ? Optional.of(new Claim(kind, new GangId(namespace, Origin.POD_GROUP, name), role))
        : Optional.empty();
  }

  /// Returns the kind of this API version and name; empty if it is not known.
  public Optional<OwnerKind> find(String apiVersion, String kind) {
    return kinds.stream()
        .filter(
            known -> known.api().kind().equals(kind) && known.api().versions().contains(apiVersion))
        .findFirst();
  }

  /// Returns the name of the PodGroup: `jobset-train`, or `leaderworkerset-vllm-3` of replica 3.
  private static String name(OwnerKind kind, PodRole role) {
    String name = prefix(kind, role.owner());
    return role.replica().isPresent() ? name + "-" + role.replica().getAsInt() : name;
  }

  /// Returns what the names of all PodGroups of the owner begin with.
  public static String prefix(OwnerKind kind, String owner) {
    return kind.api().kind().toLowerCase(Locale.ROOT) + "-" + owner;
  }
}

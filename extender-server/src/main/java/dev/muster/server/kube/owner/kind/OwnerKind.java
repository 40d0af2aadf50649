package dev.muster.server.kube.owner.kind;

import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.parse.FieldSelection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// One kind of owner: how its pods state their group and role, and how it states their number.
///
/// The next controller is one class like the others here, and a line in [OwnerKinds].
public interface OwnerKind {
  /// The API of a kind.
  ///
  /// @param kind its name, such as `JobSet`
  /// @param versions API versions that are read, preferred ones first
  /// @param plural its name in paths, such as `jobsets`
  /// @param selector selector of labels that its objects must match; empty for all
  /// @param fields fields that are read of its objects, such as `spec.replicas`
  record Api(
      String kind, List<String> versions, String plural, String selector, Set<String> fields) {
    public Api {
      versions = List.copyOf(versions);
      fields = Set.copyOf(fields);
    }

    Api(String kind, String version, String plural, String... fields) {
      this(kind, List.of(version), plural, "", Set.of(fields));
    }

    /// Returns what is read of its objects. The other fields of an owner, however large, do not
    /// displace those with sizes.
    public FieldSelection selection() {
      return ObjectTrimmer.OF_UNTYPED.only(fields);
    }

    /// Returns the path of all objects in this version.
    public String path(String version) {
      String query = selector.isEmpty() ? "" : "?labelSelector=" + selector;
      return "/apis/%s/%s%s".formatted(version, plural, query);
    }

    /// Returns the path of a list of at most the object with this name.
    ///
    /// @throws IllegalArgumentException if no object can have this name
    public String path(String version, String namespace, String name) {
      String query = selector.isEmpty() ? "" : "&labelSelector=" + selector;
      return ResourcePaths.in(version, namespace, plural)
          + "?fieldSelector=metadata.name%3D"
          + ResourcePaths.name(name)
          + query;
    }
  }

  Api api();

  /// Returns the owner of the pod, if it is of this kind, and the role of the pod.
  Optional<PodRole> role(OwnedPod pod);

  /// Returns the labels and annotations in which pods, and objects of [#makers], state owner,
  /// replica and role.
  Set<String> keys();

  /// True if the owner has gangs: it matches the selector of [Api].
  default boolean selects(Fields owner) {
    return true;
  }

  /// Returns the roles of one replica of the owner. A role with the count 0 never delays the start.
  List<OwnerRole> roles(Fields owner);

  /// Returns the label or annotation by which pods state the size of their gang. Empty if the owner
  /// states it.
  default Optional<String> sizeLabel() {
    return Optional.empty();
  }

  /// Returns the minimum that the owner states for all pods that are created at once.
  default OptionalInt minimum(Fields owner) {
    return OptionalInt.empty();
  }

  /// Returns the number of replicas with gangs of their own; empty if the owner is not so divided.
  default OptionalInt replicas(Fields owner) {
    return OptionalInt.empty();
  }

  /// Returns the number of replicas that the owner may have at once. Pods beyond it are forged.
  default int mostReplicas(Fields owner) {
    return 1;
  }

  /// Returns the API of objects that create the pods of an owner, if their statuses count. Only
  /// they state then which pods have ended for good. Replicas of such an owner have no gangs of
  /// their own.
  default Optional<Api> makers() {
    return Optional.empty();
  }

  /// Returns the pods that ended for good, as an object of [#makers] states them. Empty if it has
  /// no owner of this kind.
  default Optional<PodsOver> over(Fields maker) {
    return Optional.empty();
  }
}

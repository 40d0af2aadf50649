package dev.muster.server.kube.budget;

import dev.muster.server.kube.client.ObjectTrimmer;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.Optional;

/// The budget of one object: the limits of what its owner may ask.
///
/// The API server accepts objects of 1.5 MB. What an owner writes there is compared with each node,
/// so it would cost all others. The limits are far above what objects of normal size need. An
/// object beyond them is invalid, and nothing else of it is evaluated.
public final class ObjectBudget {
  /// Entries of `metadata.labels`; usual tools set at most 50. Policies match them, for each gang.
  static final int LABELS = 500;

  /// Characters of an annotation that Muster reads, except for its own records. The longest useful
  /// one lists GPU models.
  static final int ANNOTATION = 4_096;

  /// Entries of `metadata.annotations`; usual tools set at most 50.
  static final int ANNOTATION_ENTRIES = 500;

  /// Bytes of all annotations of a PodGroup, without Muster's records. Kubernetes allows 256 KiB in
  /// all, and the record of a gang of 2,000 members takes up to 100 KiB.
  static final int ANNOTATIONS = 128 * 1024;

  /// Characters of a name: the longest that an object of Kubernetes may have.
  static final int NAME = 253;

  /// Characters of the key of a label, and so of a topology level: prefix, slash and name.
  static final int KEY = 317;

  /// Entries of `metadata.ownerReferences`; one is usual.
  static final int OWNERS = 100;

  /// GPU models that a gang accepts. Each node is compared with them.
  static final int MODELS = 50;

  /// Containers and init containers of a pod; a node of Kubernetes runs 110 pods.
  static final int CONTAINERS = 500;

  /// Different resources that a pod requests. Each node is compared with each of them.
  static final int RESOURCES = 64;

  /// Entries of `spec.resourceClaims`; a pod with one claim for each of eight GPUs has eight.
  public static final int CLAIMS = 64;

  /// Tolerations of a pod. Each is compared with each taint of each node.
  static final int TOLERATIONS = 100;

  /// Terms of node affinity, and of pod anti-affinity. Each node is compared with each of them.
  static final int TERMS = 50;

  /// Conditions in all terms of node affinity and in the node selector.
  static final int CONDITIONS = 200;

  /// Values in all these conditions. Lists of hundreds of node names are normal.
  static final int VALUES = 2_000;

  /// Characters of all these keys and values: 2,000 names of 32 characters, or 500 of 128.
  static final int SELECTION = 64 * 1024;

  /// Requests of a ResourceClaim with their alternatives. Kubernetes allows 32 requests.
  static final int DEVICE_REQUESTS = 64;

  /// CEL selectors of a ResourceClaim. Each may be evaluated for each GPU of the cluster.
  static final int SELECTORS = 32;

  /// Characters of all these selectors; Kubernetes allows as many for each.
  static final int EXPRESSIONS = 10 * 1024;

  private ObjectBudget() {}

  /// Returns how the pod exceeds the budget, in sentences with field and limit; empty if it does
  /// not.
  public static Optional<String> excess(Pod pod) {
    Excesses found = new Excesses();
    MetadataBudget.check(pod, found);
    PodBudget.check(pod, found);
    return found.text();
  }

  /// Returns how the PodGroup exceeds the budget.
  public static Optional<String> excess(GenericKubernetesResource group) {
    Excesses found = new Excesses();
    MetadataBudget.check(group, found);
    MetadataBudget.checkAll(group, found);
    PodGroupBudget.check(group, found);
    return found.text();
  }

  /// Returns why an object was not read as a whole. Some of its fields are too large, or there is
  /// no space for it.
  public static Optional<String> cut(HasMetadata object) {
    Excesses found = new Excesses();
    LargeObjects.refusal(object).ifPresent(found::note);
    ObjectTrimmer.cut(object).forEach(found::cut);
    return found.text();
  }

  /// Returns how the ResourceClaim, or its template, exceeds the budget.
  public static Optional<String> excess(ResourceClaimSpec claim) {
    Excesses found = new Excesses();
    ClaimBudget.check(claim, found);
    return found.text();
  }

  /// Returns the spec of a claim, or of its template, for which there is no space. It has no
  /// requests and exceeds the budget.
  ///
  /// @param refusal sentence for its owner
  public static ResourceClaimSpec refused(String refusal) {
    ResourceClaimSpec spec = new ResourceClaimSpec();
    spec.setAdditionalProperty(ClaimBudget.REFUSAL, refusal);
    return spec;
  }
}

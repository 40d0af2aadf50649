package dev.muster.server.kube;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.Optional;

/// The PodGroups and lone pods as they stand.
interface GangObjects {
  /// The object that declares the gang; empty for a lone pod and for a gang without a PodGroup.
  Optional<GenericKubernetesResource> find(GangId gang);

  /// Whether the pod asks for GPUs by resource claims: kube-scheduler asks no extender about such a
  /// pod, unless it requests others, too.
  boolean claimsGpus(MemberId pod);

  /// What the pod shows about its admission, if it shows anything and still exists.
  Optional<PodCondition> admitted(MemberId pod);
}

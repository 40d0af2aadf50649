package dev.muster.server.kube.client;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.Optional;

/// The current PodGroups and lone pods.
public interface GangObjects {
  /// Returns the object that declares the gang; empty for a lone pod and for a gang without a
  /// PodGroup.
  Optional<GenericKubernetesResource> find(GangId gang);

  /// True if the pod requests GPUs by resource claims. For such a pod, kube-scheduler does not call
  /// an extender unless the pod requests extended resources too.
  boolean claimsGpus(MemberId pod);

  /// Returns the pod, without the fields that are not read; empty if it does not exist.
  Optional<Pod> pod(MemberId pod);

  /// Returns the pod's condition about its admission, if the pod exists and has one.
  Optional<PodCondition> admitted(MemberId pod);
}

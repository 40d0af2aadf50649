package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A job whose pods may have to start together, but that names no gang.
///
/// @param kind kind of the job
/// @param name name of the job
/// @param group namespace, kind and name; one Event is written for each
/// @param controller the object that created the pod, such as one Job of a JobSet
public record ParallelJob(String kind, String name, String group, ObjectRef controller) {
  /// Reason of the Event.
  static final String REASON = "StartsOneByOne";

  /// The label by which the pods of a controller name their job, and its kind.
  private static final Map<String, String> KINDS =
      Map.of(
          "jobset.sigs.k8s.io/jobset-name", "JobSet",
          "leaderworkerset.sigs.k8s.io/name", "LeaderWorkerSet",
          "ray.io/cluster", "RayCluster",
          "training.kubeflow.org/job-name", "training job");

  private static final String JOB = "Job";

  /// Kinds of controllers whose pods do not work together. Those of any other kind may.
  private static final Set<String> INDEPENDENT =
      Set.of("DaemonSet", "Node", "ReplicaSet", "ReplicationController");

  /// Returns the job of a managed pod without a gang.
  ///
  /// Pods of Deployments serve requests one by one, so they have none.
  public static Optional<ParallelJob> of(Pod pod, PodFact fact) {
    boolean alone =
        fact instanceof PodFact.Ours ours
            && ours.member().gang().origin() == Origin.POD
            && !PodCodec.isOver(pod);
    return alone ? RunLineage.maker(pod).flatMap(maker -> of(pod, maker)) : Optional.empty();
  }

  private static Optional<ParallelJob> of(Pod pod, OwnerReference maker) {
    Map<String, String> labels = ObjectMetadata.labels(pod);
    String namespace = pod.getMetadata().getNamespace();
    ObjectRef controller =
        new ObjectRef(
            maker.getApiVersion(), maker.getKind(), namespace, maker.getName(), maker.getUid());
    return KINDS.entrySet().stream()
        .filter(kind -> labels.containsKey(kind.getKey()))
        .findFirst()
        .map(kind -> named(kind.getValue(), labels.getOrDefault(kind.getKey(), ""), controller))
        .or(() ->
            Optional.of(named(maker.getKind(), maker.getName(), controller))
                .filter(_ -> !INDEPENDENT.contains(String.valueOf(maker.getKind()))));
  }

  private static ParallelJob named(String kind, String name, ObjectRef controller) {
    return new ParallelJob(
        kind, name, controller.namespace() + "/" + kind + "/" + name, controller);
  }

  /// Returns the hint for the owner of the job, on this object. Of many jobs of a namespace, only
  /// the first get it.
  public ObjectProblem hint(ObjectRef object) {
    String problem =
        "The pods of the %s %s name no gang, so they start one by one. If they must start together, "
            .formatted(kind, name);
    String remedy =
        kind.equals(JOB)
            ? "add the label %s: \"true\" to the Job and to its template."
                .formatted(WellKnownNames.FORMS_GANG)
            : "add the label %s: %s to their template, and create a PodGroup %s with their number as minMember."
                .formatted(WellKnownNames.POD_GROUP, name, name);
    return new ObjectProblem(object, REASON, problem + remedy)
        .among("jobs of " + controller.namespace());
  }
}

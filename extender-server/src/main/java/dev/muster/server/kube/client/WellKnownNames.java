package dev.muster.server.kube.client;

import java.util.List;

/// The names that Muster reads from and writes on Kubernetes objects.
public final class WellKnownNames {
  /// Scheduler of a pod that names none.
  public static final String DEFAULT_SCHEDULER = "default-scheduler";

  /// Scheduling gate that holds a member until its gang starts.
  public static final String GATE = "muster.dev/gang";

  /// Label on the pod of the Muster that leads. The Service of Muster selects it.
  public static final String LEADING = "muster.dev/leading";

  /// Annotation on a PodGroup: the nodes promised to its members.
  public static final String RESERVATION = "muster.dev/reservation";

  /// Annotation on a PodGroup: the minimum with which its gang runs whole, or ran until pods
  /// failed.
  public static final String RAN_WITH = "muster.dev/ran-with";

  /// Annotation on a PodGroup that Muster wrote: uid of the owner for which it did.
  public static final String OWNER_UID = "muster.dev/owner-uid";

  /// Annotation on a pod with a node: the queue that is charged for it. It is there if the object
  /// of its gang names another queue or is gone.
  public static final String CHARGED_QUEUE = "muster.dev/charged-queue";

  /// Annotation on a pod: time of its last nomination; the change makes kube-scheduler retry the
  /// pod.
  public static final String NOMINATED_AT = "muster.dev/nominated-at";

  /// Annotation on a PodGroup or lone pod: topology level that all members must share.
  public static final String TOPOLOGY_REQUIRED = "muster.dev/topology-required";

  /// Annotation on a PodGroup or lone pod: topology level that all members should share.
  public static final String TOPOLOGY_PREFERRED = "muster.dev/topology-preferred";

  /// Annotation on a PodGroup or lone pod: acceptable GPU models, preferred models first.
  public static final String GPU_MODELS = "muster.dev/gpu-models";

  /// Annotation on a PodGroup or lone pod: whether members may get different models.
  public static final String MIX_GPU_MODELS = "muster.dev/mix-gpu-models";

  /// Label on a PodGroup or lone pod: queue that accounts for it.
  public static final String QUEUE = "muster.dev/queue";

  /// Annotation on a PodGroup or lone pod: victims of its preemption.
  public static final String VICTIMS = "muster.dev/victims";

  /// Annotation on a victim's PodGroup or lone pod: preemptor, rule and lost work of its current or
  /// last preemption.
  public static final String PREEMPTED_BY = "muster.dev/preempted-by";

  /// Annotation on a PodGroup or lone pod: times of its preemptions, oldest first.
  public static final String PREEMPTED_AT = "muster.dev/preempted-at";

  /// Annotation on the pods of a victim: latest time of their eviction.
  public static final String PREEMPTION_DEADLINE = "muster.dev/preemption-deadline";

  /// Annotation that a pod sets to its deadline once it has saved its work.
  public static final String PREEMPTION_ACKNOWLEDGED = "muster.dev/preemption-acknowledged";

  /// Annotation that a pod sets to the time of its last complete checkpoint.
  public static final String CHECKPOINTED_AT = "muster.dev/checkpointed-at";

  /// Annotation on a PodGroup or lone pod: `false` requests not to be preempted.
  public static final String PREEMPTIBLE = "muster.dev/preemptible";

  /// Annotation on a PodGroup or lone pod: time from a restart until useful work.
  public static final String RESTART_TIME = "muster.dev/restart-time";

  /// Annotation on a PodGroup or lone pod: maximum runtime of the gang, such as `2h30m`. It allows
  /// the gang to be backfilled.
  public static final String RUNTIME = "muster.dev/runtime";

  /// Annotation on a PodGroup or lone pod: maximum number of running members.
  public static final String MAX_COUNT = "muster.dev/max-count";

  /// Annotation on a PodGroup or lone pod: number of members in each slice. The members of a slice,
  /// in rank order, share one domain of the level [#SLICE_TOPOLOGY].
  public static final String SLICE_SIZE = "muster.dev/slice-size";

  /// Annotation on a PodGroup or lone pod: topology level that the members of a slice must share.
  public static final String SLICE_TOPOLOGY = "muster.dev/slice-topology";

  /// Annotation on a PodGroup or lone pod: `packed` or `balanced`.
  public static final String LAYOUT = "muster.dev/layout";

  /// Annotation on a node, set by an agent of the site: indexes of the unused GPUs, such as
  /// `0,2,3`.
  public static final String FREE_GPUS = "muster.dev/free-gpus";

  /// Label on a namespace: `disabled` leaves the GPU visibility of its CPU pods unchanged.
  public static final String NAMESPACE_GATE = "muster.dev/gate";

  /// Label on a PodGroup or lone pod: the person who submitted it, shown on pages. It decides
  /// nothing.
  public static final String USER = "muster.dev/user";

  /// Label on the object of a gang or lone pod: project that usage is added up by.
  public static final String PROJECT = "muster.dev/project";

  /// Label on a namespace: `disabled` keeps GPUs visible to its CPU pods.
  public static final String NAMESPACE_HIDE_GPUS = "muster.dev/hide-gpus";

  /// Label on a namespace: `disabled` forms no gangs from the owners of its pods.
  public static final String NAMESPACE_OWNER_GANGS = "muster.dev/owner-gangs";

  /// Value of a label on a namespace that switches something off.
  public static final String DISABLED = "disabled";

  /// Label on a Job and its pods: `true` makes its pods a gang. On another owner, `false` makes
  /// them none.
  public static final String FORMS_GANG = "muster.dev/gang";

  /// Annotations that only Muster writes, on pods and PodGroups. Anybody who may edit the object
  /// can forge them, so what they say is checked wherever it is read.
  public static final List<String> RECORDS =
      List.of(
          RESERVATION,
          VICTIMS,
          PREEMPTED_AT,
          PREEMPTED_BY,
          PREEMPTION_DEADLINE,
          RAN_WITH,
          OWNER_UID,
          CHARGED_QUEUE,
          NOMINATED_AT);

  /// Label of Kueue that names a queue.
  public static final String KUEUE_QUEUE = "kueue.x-k8s.io/queue-name";

  /// Condition of a PodGroup that states if its gang is admitted.
  public static final String ADMITTED = "Admitted";

  /// Condition of a PodGroup whose transition time is the time since which its gang has had enough
  /// members.
  public static final String ELIGIBLE = "Eligible";

  /// Condition of a PodGroup that states that the last run of its gang has ended.
  public static final String FINISHED = "Finished";

  /// Conditions of a PodGroup that record the past of its gang.
  public static final List<String> PAST = List.of(ELIGIBLE, FINISHED);

  /// Condition of a lone pod that states if it is admitted.
  public static final String POD_ADMITTED = "muster.dev/Admitted";

  /// Reporter of Muster's Events.
  public static final String CONTROLLER = "muster.dev/scheduler";

  /// Label on a pod: its `scheduling.x-k8s.io` PodGroup.
  public static final String POD_GROUP = "scheduling.x-k8s.io/pod-group";

  /// Annotation on a pod: its Volcano PodGroup.
  public static final String VOLCANO_GROUP = "scheduling.k8s.io/group-name";

  /// Older annotation on a pod: its Volcano PodGroup.
  public static final String VOLCANO_GROUP_OLD = "scheduling.volcano.sh/group-name";

  /// Annotation on a pod: minimum of its Volcano gang if no PodGroup states it.
  public static final String VOLCANO_MIN_MEMBER = "scheduling.volcano.sh/group-min-member";

  /// Resource of a container: devices of the class of which the name follows.
  public static final String DEVICES_OF_CLASS = "deviceclass.resource.kubernetes.io/";

  /// Labels and annotations that state the gang, the queue and the account of an object.
  public static final List<String> OF_GANG =
      List.of(
          POD_GROUP,
          VOLCANO_GROUP,
          VOLCANO_GROUP_OLD,
          VOLCANO_MIN_MEMBER,
          FORMS_GANG,
          OWNER_UID,
          QUEUE,
          KUEUE_QUEUE,
          CHARGED_QUEUE,
          USER,
          PROJECT,
          RAN_WITH);

  private WellKnownNames() {}
}

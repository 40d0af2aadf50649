package dev.muster.server.kube;

/// The names that Muster writes on, or reads from, Kubernetes objects.
public final class Names {
  /// The scheduler of a pod that names none.
  public static final String DEFAULT_SCHEDULER = "default-scheduler";

  /// The scheduling gate that holds a member until its gang starts.
  public static final String GATE = "muster.dev/gang";

  /// Annotation on the PodGroup: the nodes promised to its members.
  public static final String RESERVATION = "muster.dev/reservation";

  /// Annotation on a pod: when it was last told its node, to wake kube-scheduler.
  public static final String NOMINATED_AT = "muster.dev/nominated-at";

  /// Annotation on a PodGroup or lone pod: the level all members must share.
  public static final String TOPOLOGY_REQUIRED = "muster.dev/topology-required";

  /// Annotation on a PodGroup or lone pod: the level all members should share.
  public static final String TOPOLOGY_PREFERRED = "muster.dev/topology-preferred";

  /// Annotation on a PodGroup or lone pod: the GPU models that will do, most wanted first.
  public static final String GPU_MODELS = "muster.dev/gpu-models";

  /// Annotation on a PodGroup or lone pod: whether members may get different models.
  public static final String MIX_GPU_MODELS = "muster.dev/mix-gpu-models";

  /// Label on a PodGroup or lone pod: the queue it is accounted to.
  public static final String QUEUE = "muster.dev/queue";

  /// Annotation on a PodGroup or lone pod: the gangs that are being stopped for it.
  public static final String VICTIMS = "muster.dev/victims";

  /// Annotation on a PodGroup or lone pod that is being stopped, or was last: for whom, by which
  /// rule, and what is lost.
  public static final String PREEMPTED_BY = "muster.dev/preempted-by";

  /// Annotation on a PodGroup or lone pod: when it was stopped for others, oldest first.
  public static final String PREEMPTED_AT = "muster.dev/preempted-at";

  /// Annotation on the pods of a gang that is to be stopped: when at the latest.
  public static final String PREEMPTION_DEADLINE = "muster.dev/preemption-deadline";

  /// Annotation that a pod sets to the deadline once it has saved what it wants to save.
  public static final String PREEMPTION_ACKNOWLEDGED = "muster.dev/preemption-acknowledged";

  /// Annotation that a pod sets to when its last checkpoint was complete.
  public static final String CHECKPOINTED_AT = "muster.dev/checkpointed-at";

  /// Annotation on a PodGroup or lone pod: `false` asks not to be stopped for others.
  public static final String PREEMPTIBLE = "muster.dev/preemptible";

  /// Annotation on a PodGroup or lone pod: how long a restart takes until it works again.
  public static final String RESTART_TIME = "muster.dev/restart-time";

  /// Annotation on a PodGroup or lone pod: how long the gang runs at most, as `2h30m`; lets it
  /// start in gaps.
  public static final String RUNTIME = "muster.dev/runtime";

  /// Annotation on a PodGroup or lone pod: how many members may run at once.
  public static final String MAX_COUNT = "muster.dev/max-count";

  /// Annotation on a PodGroup or lone pod: so many members, in rank order, lie inside one domain of
  /// the level that [#SLICE_TOPOLOGY] names.
  public static final String SLICE_SIZE = "muster.dev/slice-size";

  /// Annotation on a PodGroup or lone pod: the topology level within which each slice must stay.
  public static final String SLICE_TOPOLOGY = "muster.dev/slice-topology";

  /// Annotation on a PodGroup or lone pod: `packed` or `balanced`.
  public static final String LAYOUT = "muster.dev/layout";

  /// Annotation on a node, by an agent of the site: the indexes of the GPUs that nobody uses, as
  /// `0,2,3`.
  public static final String FREE_GPUS = "muster.dev/free-gpus";

  /// Label on a namespace: `disabled` leaves its pods without our gate.
  public static final String NAMESPACE_GATE = "muster.dev/gate";

  /// Label on a namespace: `disabled` leaves its CPU pods' view of GPUs alone.
  public static final String NAMESPACE_HIDE_GPUS = "muster.dev/hide-gpus";

  /// The condition of a PodGroup that says whether its gang was admitted.
  public static final String ADMITTED = "Admitted";

  /// The same condition on a lone pod.
  public static final String POD_ADMITTED = "muster.dev/Admitted";

  /// Who reports our Events.
  public static final String CONTROLLER = "muster.dev/scheduler";

  /// Label on a pod: its `scheduling.x-k8s.io` PodGroup.
  public static final String POD_GROUP = "scheduling.x-k8s.io/pod-group";

  /// Annotation on a pod: its Volcano PodGroup.
  public static final String VOLCANO_GROUP = "scheduling.k8s.io/group-name";

  /// The older annotation on a pod for its Volcano PodGroup.
  public static final String VOLCANO_GROUP_OLD = "scheduling.volcano.sh/group-name";

  /// Annotation on a pod: the minimum of its Volcano group where no PodGroup says it.
  public static final String VOLCANO_MIN_MEMBER = "scheduling.volcano.sh/group-min-member";

  private Names() {}
}

package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.WellKnownNames;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Writes a [JobRequest] as the objects that a user would apply.
///
/// The pods of a JobSet, PyTorchJob or MPIJob are a gang by their owner. A Job gets a PodGroup, and
/// a headless Service by which its pods find the first one.
final class JobObjects {
  /// The port at which the pods of torchrun meet: its default.
  private static final String RENDEZVOUS_PORT = "29500";

  /// The annotation of the Job controller with the number of a pod.
  private static final String INDEX =
      "metadata.annotations['batch.kubernetes.io/job-completion-index']";

  private static final int RETRIES = 3;

  private final JobRequest job;

  private JobObjects(JobRequest job) {
    this.job = job;
  }

  /// Returns the objects in the order in which they are created. The last one creates the pods.
  static List<ObjectNode> of(JobRequest job) {
    JobObjects objects = new JobObjects(job);
    return switch (job.kind()) {
      case JOB ->
          job.pods() == 1
              ? List.of(objects.podGroup(), objects.job())
              : List.of(objects.podGroup(), objects.service(), objects.job());
      case JOBSET -> List.of(objects.jobSet());
      case PYTORCHJOB -> List.of(objects.pyTorchJob());
      case MPIJOB -> List.of(objects.mpiJob());
    };
  }

  private ObjectNode podGroup() {
    ObjectNode group = object("scheduling.x-k8s.io/v1alpha1", "PodGroup");
    mark(group);
    group.withObject("/spec").put("minMember", job.pods());
    return group;
  }

  private ObjectNode service() {
    ObjectNode service = object("v1", "Service");
    ObjectNode spec = service.withObject("/spec");
    spec.put("clusterIP", "None").put("publishNotReadyAddresses", true);
    spec.withObject("/selector").put("job-name", job.name());
    return service;
  }

  private ObjectNode job() {
    ObjectNode object = object(job.kind().apiVersion(), job.kind().resource());
    ObjectNode spec = object.withObject("/spec");
    indexed(spec, job.name() + "-0." + job.name());
    if (job.pods() > 1) {
      spec.withObject("/template/spec").put("subdomain", job.name());
    }
    return object;
  }

  private ObjectNode jobSet() {
    ObjectNode object = owner();
    ObjectNode spec = object.withObject("/spec");
    spec.withObject("/failurePolicy").put("maxRestarts", RETRIES);
    ObjectNode workers = spec.withArray("/replicatedJobs").addObject();
    workers.put("name", "worker").put("replicas", 1);
    indexed(workers.withObject("/template/spec"), job.name() + "-worker-0-0." + job.name());
    return object;
  }

  /// Writes the spec of a Job with one pod for each index.
  ///
  /// @param first host name of the first pod
  private void indexed(ObjectNode spec, String first) {
    spec.put("completionMode", "Indexed");
    spec.put("completions", job.pods()).put("parallelism", job.pods());
    // An eviction or a lost node does not count as a failure of the job.
    ObjectNode spared = spec.withObject("/podFailurePolicy").putArray("rules").addObject();
    spared.put("action", "Ignore");
    spared.putArray("onPodConditions").addObject().put("type", "DisruptionTarget");
    spec.put("backoffLimit", job.kind() == JobRequest.Kind.JOB ? RETRIES : 0);
    if (job.kind() == JobRequest.Kind.JOB) {
      spec.withObject("/template/metadata/labels").put(WellKnownNames.POD_GROUP, job.name());
    }
    ObjectNode pod = spec.withObject("/template/spec");
    pod.put("restartPolicy", "Never");
    ObjectNode container = worker(pod, "main", true);
    if (job.template().isTorchrun()) {
      meet(container.withArray("/env"), first);
    }
  }

  /// Adds the variables with which the processes of torchrun find each other.
  private void meet(ArrayNode env, String first) {
    variable(env, "PET_NNODES", Integer.toString(job.pods()));
    variable(env, "PET_NPROC_PER_NODE", Integer.toString(job.template().gpus()));
    if (job.pods() == 1) {
      return;
    }
    env.addObject()
        .put("name", "PET_NODE_RANK")
        .withObject("/valueFrom/fieldRef")
        .put("fieldPath", INDEX);
    variable(env, "PET_RDZV_BACKEND", "c10d");
    variable(env, "PET_RDZV_ID", job.name());
    variable(env, "PET_RDZV_ENDPOINT", first + ":" + RENDEZVOUS_PORT);
  }

  private ObjectNode pyTorchJob() {
    ObjectNode object = owner();
    ObjectNode replicas = object.withObject("/spec/pytorchReplicaSpecs");
    replica(replicas.withObject("/Master"), 1);
    if (job.pods() > 1) {
      replica(replicas.withObject("/Worker"), job.pods() - 1);
    }
    return object;
  }

  private void replica(ObjectNode replica, int count) {
    replica.put("replicas", count).put("restartPolicy", "OnFailure");
    worker(replica.withObject("/template/spec"), "pytorch", true); // the operator wants this name
  }

  private ObjectNode mpiJob() {
    ObjectNode object = owner();
    ObjectNode spec = object.withObject("/spec");
    spec.put("slotsPerWorker", job.template().gpus());
    spec.withObject("/runPolicy").put("cleanPodPolicy", "Running");
    ObjectNode launcher = spec.withObject("/mpiReplicaSpecs/Launcher");
    launcher.put("replicas", 1);
    ObjectNode pod = launcher.withObject("/template/spec");
    fields(pod);
    ObjectNode container = container(pod, "launcher");
    run(container, job.template().command());
    container.withObject("/resources/requests").put("cpu", "1").put("memory", "1Gi");
    ObjectNode workers = spec.withObject("/mpiReplicaSpecs/Worker");
    workers.put("replicas", job.pods());
    run(
        worker(workers.withObject("/template/spec"), "worker", false),
        List.of("/usr/sbin/sshd", "-De"));
    return object;
  }

  /// Returns an object that owns the pods of its gang, and has the wishes of the gang.
  private ObjectNode owner() {
    ObjectNode object = object(job.kind().apiVersion(), job.kind().resource());
    mark(object);
    return object;
  }

  private ObjectNode object(String apiVersion, String kind) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", apiVersion).put("kind", kind);
    ObjectNode metadata = object.withObject("/metadata").put("name", job.name());
    if (!job.namespace().isEmpty()) {
      metadata.put("namespace", job.namespace());
    }
    return object;
  }

  private void mark(ObjectNode object) {
    put(object, "/metadata/labels", job.labels());
    put(object, "/metadata/annotations", job.annotations());
  }

  /// Returns the container with the GPUs.
  ///
  /// @param runs true if it runs the command of the user
  private ObjectNode worker(ObjectNode pod, String name, boolean runs) {
    fields(pod);
    ObjectNode container = container(pod, name);
    if (runs) {
      run(container, job.template().command());
    }
    put(container, "/resources/requests", job.template().requests());
    put(container, "/resources/limits", job.template().limits());
    return container;
  }

  private void fields(ObjectNode pod) {
    job.template().pod().forEach(pod::put);
  }

  /// Adds a container with the image, variables and claims of the user.
  private ObjectNode container(ObjectNode pod, String name) {
    ObjectNode container = pod.withArray("/containers").addObject();
    container.put("name", name).put("image", job.template().image());
    job.template()
        .environment()
        .forEach((key, value) -> variable(container.withArray("/env"), key, value));
    job.template()
        .claims()
        .forEach((path, claim) ->
            container
                .withArray("/volumeMounts")
                .addObject()
                .put("name", claim)
                .put("mountPath", path));
    for (String claim : new TreeSet<>(job.template().claims().values())) {
      ObjectNode volume = pod.withArray("/volumes").addObject().put("name", claim);
      volume.withObject("/persistentVolumeClaim").put("claimName", claim);
    }
    return container;
  }

  private static void run(ObjectNode container, List<String> command) {
    if (!command.isEmpty()) {
      command.forEach(container.putArray("command")::add);
    }
  }

  private static void variable(ArrayNode env, String name, String value) {
    env.addObject().put("name", name).put("value", value);
  }

  private static void put(ObjectNode object, String where, Map<String, String> values) {
    if (!values.isEmpty()) {
      ObjectNode fields = object.withObject(where);
      values.forEach(fields::put);
    }
  }
}

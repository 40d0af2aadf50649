package dev.muster.deploy.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.owner.OwnerOutline;
import dev.muster.server.kube.watch.ObjectFacts;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Reads the PodGroups of a YAML file and derives the pods of its objects.
///
/// Any object with a pod template makes pods, whatever its kind. Their number is its `parallelism`
/// (no more than `completions`) or `replicas`, times the replicas of the enclosing objects. The
/// templates of a LeaderWorkerSet have names of their own.
final class JobManifest {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final Pattern DOCUMENT_END = Pattern.compile("(?m)^---.*$");
  private static final int MOST_PODS = 100_000;

  private final String file;
  private final Place place;
  private final TreeMap<String, Integer> priorities;
  private final List<GenericKubernetesResource> podGroups = new ArrayList<>();
  private final List<ObjectNode> pods = new ArrayList<>();
  private final List<ObjectNode> devices = new ArrayList<>();

  /// Objects that create pods, in order.
  private final List<JsonNode> controllers = new ArrayList<>();

  private JobManifest(String file, Place place) {
    this.file = file;
    this.place = place;
    this.priorities = new TreeMap<>(place.priorities());
  }

  /// The namespace, time and priority classes for the objects of a file.
  ///
  /// @param namespace namespace of objects that name none
  /// @param at creation time of the objects
  /// @param priorities values of priority classes by name; those in the file are added
  /// @param owners reads the objects of job controllers
  record Place(
      String namespace, Instant at, Map<String, Integer> priorities, OwnerManifest owners) {}

  /// Reads the content of a file.
  ///
  /// @param file name of the file, for errors
  /// @throws IllegalArgumentException if it has no pods, or has an invalid object
  static JobManifest read(String file, String content, Place place) {
    JobManifest manifest = new JobManifest(file, place);
    List<JsonNode> documents = documents(file, content);
    documents.forEach(manifest::priorityClass);
    documents.forEach(manifest::object);
    manifest.control();
    if (manifest.pods.isEmpty()) {
      throw manifest.wrong(
          "has no pods: neither a Pod nor a pod template. The PodGroup and its Job must be in one file.");
    }
    manifest.adopt();
    return manifest;
  }

  private static List<JsonNode> documents(String file, String content) {
    List<JsonNode> documents = new ArrayList<>();
    int number = 0;
    for (String text : DOCUMENT_END.split(content, -1)) {
      number++;
      try {
        JsonNode read = YAML.unmarshal(text, JsonNode.class);
        if (read != null && read.isObject()) {
          documents.add(read);
        }
      } catch (RuntimeException bad) { // the YAML parser throws many types
        throw new IllegalArgumentException(
            "%s: document %d is not YAML: %s"
                .formatted(file, number, String.valueOf(bad.getMessage()).replaceAll("\\s+", " ")));
      }
    }
    return documents;
  }

  private void priorityClass(JsonNode object) {
    if (object.path("kind").asText().equals("PriorityClass")) {
      priorities.put(object.at("/metadata/name").asText(), object.path("value").asInt());
    }
  }

  private void object(JsonNode object) {
    if (object.path("kind").asText().equals("List")) { // output of kubectl get for several objects
      object.path("items").forEach(this::object);
      return;
    }
    String name = object.at("/metadata/name").asText();
    if (object.path("kind").asText().isEmpty() || name.isEmpty()) {
      throw wrong(
          "an object has kind \"%s\" and name \"%s\"; both must be given."
              .formatted(object.path("kind").asText(), name));
    }
    GenericKubernetesResource generic =
        Objects.requireNonNull(YAML.convertValue(placed(object), GenericKubernetesResource.class));
    if (ObjectFacts.isPodGroup(generic)) {
      podGroups.add(generic);
    } else if (generic.getApiVersion() != null
        && generic.getApiVersion().startsWith("resource.k8s.io/")) {
      devices.add(placed(object));
    } else if (object.path("kind").asText().equals("Pod")) {
      pods.add(pod(object, name, pods.size()));
    } else {
      OwnerManifest.unreadable(object)
          .ifPresent(problem -> {
            throw wrong(problem);
          });
      controllers.add(object);
    }
  }

  /// Adds the pods of all objects that create some. If the file has no PodGroup, the pods of job
  /// controllers are in the gangs that Muster will form.
  private void control() {
    boolean isDeclared = !podGroups.isEmpty();
    for (JsonNode object : controllers) {
      Optional<OwnerOutline> outline =
          isDeclared ? Optional.empty() : place.owners().outline(placed(object));
      outline.ifPresentOrElse(
          found -> gangs(object, found),
          () -> templates(object, name(object), 1, namespace(object)));
    }
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  private String namespace(JsonNode object) {
    return object.at("/metadata/namespace").asText(place.namespace());
  }

  private void gangs(JsonNode object, OwnerOutline outline) {
    for (OwnerOutline.PlannedGang gang : outline.gangs()) {
      JsonNode group = placed(OwnerManifest.podGroup(gang, namespace(object)));
      podGroups.add(
          Objects.requireNonNull(YAML.convertValue(group, GenericKubernetesResource.class)));
    }
    for (OwnerOutline.PlannedPods planned : outline.pods()) {
      String name = name(object) + (planned.role().isEmpty() ? "" : "-" + planned.role());
      int before = pods.size();
      if (planned.template().isUnknown()) {
        templates(object, name, 1, namespace(object));
        if (pods.size() == before + 1) { // all pods have its only template
          pods.removeLast();
          templates(object, name, planned.count(), namespace(object));
        }
        if (pods.size() == before) {
          throw wrong(
              "%s %s has no pod template, so its pods are not known."
                  .formatted(object.path("kind").asText(), name(object)));
        }
      } else {
        ObjectNode counted = JsonNodeFactory.instance.objectNode();
        counted.put("replicas", planned.count());
        counted.set(
            "template",
            Objects.requireNonNull(
                YAML.convertValue(
                    Objects.requireNonNull(planned.template().fields().value()), JsonNode.class)));
        templates(counted, name, 1, namespace(object));
      }
      for (ObjectNode pod : pods.subList(before, pods.size())) {
        planned
            .gang()
            .ifPresent(
                gang -> pod.withObject("/metadata/labels").put(WellKnownNames.POD_GROUP, gang));
      }
    }
  }

  private ObjectNode placed(JsonNode object) {
    ObjectNode placed = object.deepCopy();
    ObjectNode meta = placed.withObject("/metadata");
    meta.put("namespace", meta.path("namespace").asText(place.namespace()));
    meta.put("creationTimestamp", place.at().toString());
    return placed;
  }

  private void templates(JsonNode object, String name, long times, String where) {
    JsonNode template = object.path("template");
    long here = times * count(object);
    if (template.at("/spec/containers").isArray()) {
      if (pods.size() + here > MOST_PODS) {
        throw wrong("%s has more than %,d pods.".formatted(name, MOST_PODS));
      }
      for (int i = 0; i < here; i++) {
        ObjectNode pod = template.deepCopy();
        pod.withObject("/metadata").put("namespace", where);
        pods.add(pod(pod, name + "-" + i, pods.size()));
      }
      return;
    }
    groups(object, name, times, where);
    object
        .properties()
        .forEach(field -> below(field.getValue(), name(name, field.getKey(), object), here, where));
  }

  /// Adds the pods of a LeaderWorkerSet: groups of a leader and its workers.
  private void groups(JsonNode object, String name, long times, String where) {
    JsonNode group = object.path("leaderWorkerTemplate");
    if (group.isObject()) {
      JsonNode workers = group.path("workerTemplate");
      JsonNode leader = group.path("leaderTemplate");
      long groups = times * object.path("replicas").asInt(1);
      templates(alone(leader.isObject() ? leader : workers), name + "-leader", groups, where);
      long others = groups * Math.max(0, group.path("size").asInt(1) - 1);
      templates(alone(workers), name + "-worker", others, where);
    }
  }

  private static JsonNode alone(JsonNode template) {
    return JsonNodeFactory.instance.objectNode().set("template", template);
  }

  private void below(JsonNode value, String name, long times, String where) {
    if (value.isObject()) {
      templates(value, name, times, where);
    } else if (value.isArray()) {
      for (JsonNode each : value) {
        String own = each.path("name").asText(each.path("groupName").asText());
        below(each, own.isEmpty() ? name : name + "-" + own, times, where);
      }
    }
  }

  /// Returns the name of a nested object; Kubeflow replica types such as `Worker` extend it.
  ///
  /// They are keys below fields such as `pytorchReplicaSpecs`.
  private static String name(String name, String field, JsonNode object) {
    boolean type = object.path(field).has("template") && object.path(field).has("replicas");
    return type && Character.isUpperCase(field.charAt(0))
        ? name + "-" + field.toLowerCase(Locale.ROOT)
        : name;
  }

  /// Returns the number of simultaneous pods of the object's template; 1 without a number.
  private static int count(JsonNode object) {
    if (!object.has("template")) {
      return 1;
    }
    JsonNode said =
        object.has("parallelism") ? object.path("parallelism") : object.path("replicas");
    return Math.min(said.asInt(1), object.path("completions").asInt(Integer.MAX_VALUE));
  }

  private ObjectNode pod(JsonNode template, String name, int number) {
    ObjectNode pod = placed(template);
    pod.put("apiVersion", "v1").put("kind", "Pod");
    pod.withObject("/metadata").put("name", name).put("uid", "fit-" + number);
    ObjectNode spec = pod.withObject("/spec");
    spec.put("schedulerName", spec.path("schedulerName").asText("default-scheduler"));
    spec.put("priority", priority(name, spec));
    if (spec.path("schedulingGates").isEmpty()) {
      spec.putArray("schedulingGates").addObject().put("name", WellKnownNames.GATE);
    }
    pod.set("status", JsonNodeFactory.instance.objectNode());
    return pod;
  }

  private int priority(String pod, JsonNode spec) {
    String name = spec.path("priorityClassName").asText();
    if (name.isEmpty() || spec.has("priority")) {
      return spec.path("priority").asInt();
    }
    Integer value = priorities.get(name);
    if (value == null) {
      throw wrong(
          "the pod %s has priorityClassName \"%s\", which is not known. Known: %s. The PriorityClass may be in this file."
              .formatted(pod, name, priorities.keySet()));
    }
    return value;
  }

  /// Labels all pods with the file's only PodGroup, if no pod names one.
  ///
  /// In a cluster, job controllers do this.
  private void adopt() {
    boolean named =
        pods.stream().anyMatch(pod -> pod.at("/metadata/labels").has(WellKnownNames.POD_GROUP));
    if (podGroups.size() == 1
        && !named
        && podGroups.getFirst().getApiVersion().startsWith("scheduling.x-k8s.io/")) {
      String group = podGroups.getFirst().getMetadata().getName();
      pods.forEach(pod -> pod.withObject("/metadata/labels").put(WellKnownNames.POD_GROUP, group));
    }
  }

  private IllegalArgumentException wrong(String message) {
    return new IllegalArgumentException(file + ": " + message);
  }

  /// Passes all objects to `facts`.
  ///
  /// @throws IllegalArgumentException if an object is invalid
  void tell(ObjectFacts facts) {
    devices.forEach(object -> device(facts, object));
    podGroups.forEach(facts::podGroup);
    pods.forEach(pod -> facts.pod(Objects.requireNonNull(YAML.convertValue(pod, Pod.class))));
    facts.problems().stream()
        .findFirst()
        .ifPresent(problem -> {
          throw wrong("%s: %s".formatted(problem.object(), problem.message()));
        });
  }

  private static void device(ObjectFacts facts, ObjectNode object) {
    switch (object.path("kind").asText()) {
      case "DeviceClass" -> {
        object.withObject("/metadata").remove("namespace");
        facts.deviceClass(Objects.requireNonNull(YAML.convertValue(object, DeviceClass.class)));
      }
      case "ResourceClaim" ->
          facts.resourceClaim(
              Objects.requireNonNull(YAML.convertValue(object, ResourceClaim.class)));
      case "ResourceClaimTemplate" ->
          facts.resourceClaimTemplate(
              Objects.requireNonNull(YAML.convertValue(object, ResourceClaimTemplate.class)));
      default -> {} // not relevant to pods
    }
  }

  /// Returns the values of priority classes, including those in the file.
  Map<String, Integer> priorities() {
    return priorities;
  }
}

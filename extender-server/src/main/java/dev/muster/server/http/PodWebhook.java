package dev.muster.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.core.decision.MessageLimit;
import dev.muster.core.gang.GangId;
import dev.muster.policy.config.PodHold;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.PodReader;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.http.extender.ReviewReader;
import dev.muster.server.http.extender.ReviewWriter;
import dev.muster.server.http.extender.ReviewWriter.Refusal;
import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.dra.ClassRequests;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.start.StartSwitch;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The mutating admission webhook for pods. It gates pods that Muster places until their gang
/// starts, except pods without gang that can [start at once][GateExemption]. It also [hides the
/// GPUs][GpuHiding] from containers that requested none, including those of `kubectl debug`.
///
/// A pod that it does not understand passes unchanged. A pod that it cannot read is refused, where
/// it could have changed it. An error would be ignored, as the shipped webhook asks.
final class PodWebhook {
  private static final Set<String> CONTAINERS = Set.of("containers", "initContainers");
  private static final int MANY = 1_000;

  private final PodScope scope;
  private final WebhookOptions options;
  private final IntPredicate startsAtOnce;
  private final GpuHiding hiding;

  /// @param startsAtOnce true if a pod without gang that requests this many GPUs needs no gate
  PodWebhook(PodScope scope, WebhookOptions options, IntPredicate startsAtOnce) {
    this.scope = scope;
    this.options = options;
    this.startsAtOnce = startsAtOnce;
    this.hiding = new GpuHiding(scope.accelerators(), options.ownVisibleDevices());
  }

  /// The tasks of a call. The namespaces in which GPUs are hidden are selected separately from
  /// those in which pods are gated. So each task has a call of its own, or one call does both.
  enum Task {
    GATE,
    HIDE,
    BOTH
  }

  /// Returns the review with its response, as `admission.k8s.io/v1` requires.
  ///
  /// @throws MalformedRequest if the body does not begin as an AdmissionReview
  byte[] review(Task task, byte[] body) throws MalformedRequest {
    try {
      return answer(task, ReviewReader.tree(body));
    } catch (MalformedRequest unread) {
      return unread(task, body, Refusal.forbidden(unread.problem())).orElseThrow(() -> unread);
    }
  }

  /// Returns the response to a review that cannot be read whole.
  ///
  /// @param body the review, or its first [ReviewReader#HEAD] bytes
  /// @param refusal the reason to refuse a pod that may need a change; others pass
  /// @return empty if the body does not begin as an AdmissionReview, so it has no response
  Optional<byte[]> unread(Task task, byte[] body, Refusal refusal) {
    return ReviewReader.head(body)
        .map(head ->
            ReviewWriter.judged(
                head, Optional.of(refusal).filter(_ -> mayChange(task, head.path("request")))));
  }

  private boolean mayChange(Task task, JsonNode request) {
    String namespace = request.path("namespace").asText();
    return isCreation(request)
        ? gates(task, namespace) || hides(task, namespace)
        : ReviewReader.addsContainers(request) && hides(task, namespace);
  }

  private boolean gates(Task task, String namespace) {
    return task != Task.HIDE && options.gates(namespace);
  }

  private boolean hides(Task task, String namespace) {
    return task != Task.GATE && options.hides(namespace);
  }

  private byte[] answer(Task task, JsonNode review) throws MalformedRequest {
    JsonNode request = review.path("request");
    if (!review.path("kind").asText().equals("AdmissionReview") || !request.isObject()) {
      throw new MalformedRequest("The body is not an AdmissionReview with a request.");
    }
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    Optional<String> refusal = Optional.empty();
    if (isNewPod(request)) {
      checkNamespace(request.path("namespace").asText());
      refusal = patch(patch, task, request);
    } else if (ReviewReader.addsContainers(request)) {
      refusal = patchDebugged(patch, task, request);
    }
    return refusal.isPresent()
        ? ReviewWriter.judged(review, refusal.map(Refusal::forbidden))
        : ReviewWriter.changed(review, patch);
  }

  /// The API server names the namespace of each pod, so only a forged review lacks it.
  private static void checkNamespace(String name) throws MalformedRequest {
    if (!ResourcePaths.isNamespace(name)) {
      throw new MalformedRequest(
          MessageLimit.cut(
              "request.namespace must be 1 to 63 lower case letters, digits and inner hyphens, but is '%s'."
                  .formatted(name)));
    }
  }

  /// True if an object is created. The head of a review lacks the operation if the name before it
  /// is longer than that of a pod can be, so only a new object has this name.
  private static boolean isCreation(JsonNode request) {
    return request.path("operation").asText("CREATE").equals("CREATE")
        && request.path("subResource").asText().isEmpty();
  }

  private static boolean isNewPod(JsonNode request) {
    return isCreation(request)
        && request.path("object").path("kind").asText("Pod").equals("Pod")
        && request.path("object").path("spec").isObject();
  }

  /// Adds the changes to a new pod. Returns the reason if the pod is refused.
  private Optional<String> patch(ArrayNode patch, Task task, JsonNode request) {
    String namespace = request.path("namespace").asText();
    JsonNode pod = request.path("object");
    if (gates(task, namespace) && wantsGate(namespace, pod)) {
      keep(patch, namespace, pod);
    }
    if (!hides(task, namespace)) {
      return Optional.empty();
    }
    Optional<String> refusal = hiding.hide(patch, "/spec/containers", pod, Set.of());
    return refusal.isPresent()
        ? refusal
        : hiding.hide(patch, "/spec/initContainers", pod, Set.of());
  }

  /// Keeps the pod from kube-scheduler until it starts: by a gate, or by the start switch of its
  /// gang.
  ///
  /// The switch and the filter are enough only for pods about which kube-scheduler asks Muster.
  /// These request a GPU as an extended resource. Others could start before their gang if
  /// kube-scheduler did not respect the switch.
  private void keep(ArrayNode patch, String namespace, JsonNode pod) {
    Optional<GangId> owned = ownerGang(namespace, pod);
    boolean asked = (namesGang(pod) || owned.isPresent()) && wantsAccelerator(pod.path("spec"));
    PodHold hold = asked ? options.hold().apply(namespace) : PodHold.GATE;
    Optional<String> name = hold == PodHold.NATIVE ? switchName(pod, owned) : Optional.empty();
    if (name.isPresent()) {
      patch
          .addObject()
          .put("op", "add")
          .put("path", "/spec/schedulingGroup")
          .putObject("value")
          .put("podGroupName", name.get());
    } else if (hold != PodHold.FILTER) {
      GpuHiding.append(patch, "/spec/schedulingGates", pod.at("/spec/schedulingGates"))
          .put("name", WellKnownNames.GATE);
    }
  }

  /// Returns the start switch of a pod whose gang has a PodGroup of scheduler-plugins. A pod with a
  /// native PodGroup of its user keeps it.
  private static Optional<String> switchName(JsonNode pod, Optional<GangId> owned) {
    JsonNode spec = pod.path("spec");
    Optional<String> named = Optional.of(label(pod)).filter(label -> !label.isEmpty());
    return named
        .or(() -> owned.filter(_ -> !namesVolcanoGroup(pod)).map(GangId::name))
        .filter(_ -> spec.path("schedulingGroup").isEmpty())
        .flatMap(gang -> StartSwitch.name(gang, spec.path("priority").asInt()));
  }

  /// Adds the changes to the containers that are added to a running pod.
  private Optional<String> patchDebugged(ArrayNode patch, Task task, JsonNode request) {
    if (!hides(task, request.path("namespace").asText())) {
      return Optional.empty();
    }
    String list = "/spec/ephemeralContainers";
    Set<String> existing = texts(request.path("oldObject").at(list), "name");
    return hiding.hide(patch, list, request.path("object"), existing);
  }

  private boolean wantsGate(String namespace, JsonNode pod) {
    JsonNode spec = pod.path("spec");
    String scheduler = spec.path("schedulerName").asText(WellKnownNames.DEFAULT_SCHEDULER);
    return scope
            .schedulerNames()
            .contains(scheduler.isEmpty() ? WellKnownNames.DEFAULT_SCHEDULER : scheduler)
        && spec.path("nodeName").asText().isEmpty()
        && !names(spec.path("schedulingGates"), WellKnownNames.GATE)
        && !(StartSwitch.isOne(group(pod)) && wantsAccelerator(spec))
        && (namesGang(pod)
            || ownerGang(namespace, pod).isPresent()
            || (wantsAccelerator(spec) && !startsAtOnce(spec))
            || claimsGpus(namespace, spec));
  }

  /// True if the pod may take GPUs by resource claims. Such a pod always gets a gate, since
  /// kube-scheduler does not ask Muster about it. If it takes none, it soon loses the gate.
  private boolean claimsGpus(String namespace, JsonNode spec) {
    JsonNode entries = spec.path("resourceClaims");
    if (containers(spec)
        .map(container -> container.path("resources"))
        .flatMap(resources -> Stream.of(resources.path("limits"), resources.path("requests")))
        .anyMatch(amounts ->
            amounts.propertyStream().anyMatch(each -> ClassRequests.isOne(each.getKey())))) {
      return true;
    }
    if (entries.size() > ObjectBudget.CLAIMS) {
      return true; // invalid, and to look them all up would delay the reviews of others
    }
    return !entries.isEmpty()
        && options
            .claimsGpus()
            .test(
                namespace,
                texts(entries, "resourceClaimName"),
                texts(entries, "resourceClaimTemplateName"));
  }

  private static Set<String> texts(JsonNode entries, String field) {
    return entries
        .valueStream()
        .map(entry -> entry.path(field).asText())
        .filter(text -> !text.isEmpty())
        .collect(Collectors.toSet());
  }

  /// True if the pod may start at once. A pod with a gate of another owner does not.
  private boolean startsAtOnce(JsonNode spec) {
    return spec.path("schedulingGates").isEmpty() && startsAtOnce.test(gpus(spec));
  }

  /// Returns the sum of the requests of all containers, an upper bound of the pod's use.
  private int gpus(JsonNode spec) {
    int gpus = 0;
    for (String kind : CONTAINERS) {
      for (JsonNode container : spec.path(kind)) {
        for (String name : scope.accelerators()) {
          JsonNode resources = container.path("resources");
          gpus += Math.max(number(resources, "limits", name), number(resources, "requests", name));
        }
      }
    }
    return gpus;
  }

  /// Returns the quantity; one that is no plain number counts as very large.
  private static int number(JsonNode resources, String kind, String name) {
    JsonNode quantity = resources.path(kind).path(name);
    return quantity.isMissingNode() ? 0 : quantity.asInt(MANY);
  }

  private static boolean namesGang(JsonNode pod) {
    String group = group(pod);
    return !label(pod).isEmpty()
        || namesVolcanoGroup(pod)
        || (!group.isBlank() && !StartSwitch.isOne(group));
  }

  private static boolean namesVolcanoGroup(JsonNode pod) {
    JsonNode annotations = pod.path("metadata").path("annotations");
    return !annotations.path(WellKnownNames.VOLCANO_GROUP).asText().isBlank()
        || !annotations.path(WellKnownNames.VOLCANO_GROUP_OLD).asText().isBlank();
  }

  private static String label(JsonNode pod) {
    return pod.path("metadata").path("labels").path(WellKnownNames.POD_GROUP).asText().strip();
  }

  private static String group(JsonNode pod) {
    return pod.path("spec").path("schedulingGroup").path("podGroupName").asText();
  }

  /// Returns the gang of the pod's owner. The pod gets a gate even if it requests no GPU.
  private Optional<GangId> ownerGang(String namespace, JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    JsonNode controller =
        metadata
            .path("ownerReferences")
            .valueStream()
            .filter(owner -> owner.path("controller").asBoolean())
            .findFirst()
            .orElse(MissingNode.getInstance());
    OwnedPod owned =
        new OwnedPod(
            namespace,
            words(metadata.path("labels")),
            words(metadata.path("annotations")),
            controller.path("kind").asText(),
            controller.path("name").asText(),
            controller.path("uid").asText());
    return scope.owners().apply(owned);
  }

  private static Map<String, String> words(JsonNode map) {
    Map<String, String> words = new HashMap<>();
    map.properties().forEach(word -> words.put(word.getKey(), word.getValue().asText()));
    return words;
  }

  private boolean wantsAccelerator(JsonNode spec) {
    return containers(spec).anyMatch(this::requestsAccelerator);
  }

  private static Stream<JsonNode> containers(JsonNode spec) {
    return CONTAINERS.stream().flatMap(kind -> spec.path(kind).valueStream());
  }

  private boolean requestsAccelerator(JsonNode container) {
    JsonNode resources = container.path("resources");
    return scope.accelerators().stream()
        .anyMatch(name ->
            isPositive(resources, "limits", name) || isPositive(resources, "requests", name));
  }

  private static boolean isPositive(JsonNode resources, String kind, String name) {
    return PodReader.isPositive(resources.path(kind).path(name).asText());
  }

  /// True if an object of the list has this name.
  private static boolean names(JsonNode list, String name) {
    for (JsonNode entry : list) {
      if (entry.path("name").asText().equals(name)) {
        return true;
      }
    }
    return false;
  }
}

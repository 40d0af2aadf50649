package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// Gangs of a test cluster: PodGroups of the namespace `default` and their pods.
///
/// @param kind whose PodGroups they are
public record TestGangs(KubernetesClient client, ResourceDefinitionContext kind) {
  /// The label by which a pod names its gang.
  public static final String LABEL = "scheduling.x-k8s.io/pod-group";

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(50);

  /// Gangs as PodGroups of scheduler-plugins.
  public TestGangs(KubernetesClient client) {
    this(client, "scheduling.x-k8s.io", "v1alpha1");
  }

  /// Gangs as PodGroups of another API.
  TestGangs(KubernetesClient client, String group, String version) {
    this(
        client,
        new ResourceDefinitionContext.Builder()
            .withGroup(group)
            .withVersion(version)
            .withKind("PodGroup")
            .withPlural("podgroups")
            .withNamespaced(true)
            .build());
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      podGroups() {
    return client.genericKubernetesResources(kind);
  }

  /// Creates the PodGroup alone.
  public void declare(String gang, int minMember, Map<String, String> annotations) {
    podGroups().inNamespace("default").resource(group(gang, minMember, annotations)).create();
  }

  /// A PodGroup still to be created.
  static GenericKubernetesResource group(
      String gang, int minMember, Map<String, String> annotations) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("scheduling.x-k8s.io/v1alpha1")
        .withKind("PodGroup")
        .withNewMetadata()
        .withName(gang)
        .withNamespace("default")
        .withAnnotations(annotations)
        .endMetadata()
        .addToAdditionalProperties("spec", Map.of("minMember", minMember))
        .build();
  }

  public void declare(String gang, int minMember) {
    declare(gang, minMember, Map.of());
  }

  /// Creates the PodGroup alone, in a queue.
  void declareIn(String queue, String gang, int minMember) {
    GenericKubernetesResource group = group(gang, minMember, Map.of());
    group.getMetadata().setLabels(Map.of("muster.dev/queue", queue));
    podGroups().inNamespace("default").resource(group).create();
  }

  /// Replaces the labels of a PodGroup.
  public void label(String gang, Map<String, String> labels) {
    podGroups()
        .inNamespace("default")
        .withName(gang)
        .edit(group -> {
          group.getMetadata().setLabels(labels);
          return group;
        });
  }

  /// Adds annotations to a PodGroup.
  void annotate(String gang, Map<String, String> annotations) {
    podGroups()
        .inNamespace("default")
        .withName(gang)
        .edit(group -> {
          group.getMetadata().getAnnotations().putAll(annotations);
          return group;
        });
  }

  /// Changes the minimum of a PodGroup.
  void raise(String gang, int minMember) {
    podGroups()
        .inNamespace("default")
        .withName(gang)
        .edit(group -> {
          group.setAdditionalProperty("spec", Map.of("minMember", minMember));
          return group;
        });
  }

  /// A field of the status of a PodGroup; empty while it has none of this name.
  String status(String gang, String field) {
    return client
        .getKubernetesSerialization()
        .convertValue(podGroups().inNamespace("default").withName(gang).get(), JsonNode.class)
        .path("status")
        .path(field)
        .asText();
  }

  /// An annotation of a PodGroup; empty when it has none of this name.
  public String annotation(String gang, String name) {
    return podGroups()
        .inNamespace("default")
        .withName(gang)
        .get()
        .getMetadata()
        .getAnnotations()
        .getOrDefault(name, "");
  }

  /// The node that is kept for the member, as the record on its PodGroup says; empty if none is.
  public String promised(String gang, int index) {
    String record = annotation(gang, "muster.dev/reservation");
    return record.isEmpty()
        ? ""
        : client
            .getKubernetesSerialization()
            .unmarshal(record, JsonNode.class)
            .path("members")
            .path(gang + "-" + index)
            .path("node")
            .asText();
  }

  /// A member still to be created: `gang-index`.
  public static PodBuilder member(String gang, int index, int gpus) {
    return gpuPod(gang + "-" + index, gpus).editMetadata().addToLabels(LABEL, gang).endMetadata();
  }

  public void createMember(String gang, int index, int gpus) {
    client.pods().resource(member(gang, index, gpus).build()).create();
  }

  /// Creates a PodGroup and as many members of a priority, each with so many GPUs.
  void create(String gang, int members, int gpus, int priority) {
    declare(gang, members);
    for (int i = 0; i < members; i++) {
      client.pods().resource(TestPriorities.of(member(gang, i, gpus), priority).build()).create();
    }
  }

  /// Creates a PodGroup and as many members, each with so many GPUs.
  public void create(String gang, int members, int gpus) {
    declare(gang, members);
    IntStream.range(0, members).forEach(i -> createMember(gang, i, gpus));
  }

  /// The members that exist.
  public List<Pod> members(String gang) {
    return client.pods().inNamespace("default").withLabel(LABEL, gang).list().getItems();
  }

  /// Returns the number of members with a node.
  public long bound(String gang) {
    return members(gang).stream().filter(TestGangs::isBound).count();
  }

  static boolean isBound(Pod pod) {
    return pod.getSpec().getNodeName() != null;
  }

  /// The nodes that the gang's members are bound to.
  public Set<String> nodes(String gang) {
    var nodes = new TreeSet<String>();
    members(gang).stream()
        .filter(TestGangs::isBound)
        .forEach(pod -> nodes.add(pod.getSpec().getNodeName()));
    return nodes;
  }

  /// The values of a label on the nodes that the gang's members are bound to.
  public Set<String> nodeLabels(String gang, String label) {
    var values = new TreeSet<String>();
    for (String node : nodes(gang)) {
      values.add(
          client.nodes().withName(node).get().getMetadata().getLabels().getOrDefault(label, ""));
    }
    return values;
  }

  /// Waits until so many members run, and no others.
  public void awaitRunning(String gang, int members) {
    awaitPhase(gang, "Running", members);
  }

  public void awaitPhase(String gang, String phase, int members) {
    Awaitility.await(members + " of " + gang + " " + phase)
        .atMost(WAIT)
        .pollInterval(POLL)
        .until(() -> inPhase(gang, phase), count -> count == members);
  }

  public long inPhase(String gang, String phase) {
    return members(gang).stream().filter(pod -> phase.equals(pod.getStatus().getPhase())).count();
  }

  /// Waits until the gang's PodGroup says that it waits for this reason; returns the sentence.
  public String awaitReason(String gang, String reason) {
    return await(gang, reason, "", () -> admitted(gang));
  }

  /// Waits until the gang's PodGroup says that it waits for this reason, in a sentence that begins
  /// so.
  public void awaitReason(String gang, String reason, String sentence) {
    await(gang, reason, sentence, () -> admitted(gang));
  }

  /// Waits until a lone pod says that it waits for this reason; returns the sentence.
  public String awaitPodReason(String pod, String reason) {
    return await(pod, reason, "", () -> podAdmitted(pod));
  }

  /// Waits until a lone pod says that it waits for this reason, in a sentence that begins so.
  public void awaitPodReason(String pod, String reason, String sentence) {
    await(pod, reason, sentence, () -> podAdmitted(pod));
  }

  private static String await(
      String who, String reason, String sentence, Callable<Optional<JsonNode>> condition) {
    return Awaitility.await("why %s waits: %s: %s".formatted(who, reason, sentence))
        .atMost(WAIT)
        .pollInterval(POLL)
        .until(condition, c -> c.filter(found -> says(found, reason, sentence)).isPresent())
        .map(c -> c.path("message").asText())
        .orElseThrow();
  }

  private static boolean says(JsonNode condition, String reason, String sentence) {
    return condition.path("status").asText().equals("False")
        && condition.path("reason").asText().equals(reason)
        && condition.path("message").asText().startsWith(sentence);
  }

  private Optional<JsonNode> admitted(String gang) {
    return condition(podGroups().inNamespace("default").withName(gang).get(), "Admitted");
  }

  /// True if this condition of the gang's PodGroup is true.
  boolean isTrue(String gang, String type) {
    return condition(podGroups().inNamespace("default").withName(gang).get(), type)
        .filter(condition -> condition.path("status").asText().equals("True"))
        .isPresent();
  }

  private Optional<JsonNode> podAdmitted(String pod) {
    return condition(
        client.pods().inNamespace("default").withName(pod).get(), "muster.dev/Admitted");
  }

  private Optional<JsonNode> condition(@Nullable Object object, String type) {
    if (object == null) {
      return Optional.empty();
    }
    JsonNode tree = client.getKubernetesSerialization().convertValue(object, JsonNode.class);
    for (JsonNode condition : tree.at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return Optional.of(condition);
      }
    }
    return Optional.empty();
  }

  /// Deletes the members at once, as if their kubelets had ended them already.
  public void deleteMembers(String gang) {
    client.pods().inNamespace("default").withLabel(LABEL, gang).withGracePeriod(0).delete();
  }

  /// Deletes the PodGroup alone.
  void delete(String gang) {
    podGroups().inNamespace("default").withName(gang).delete();
  }

  /// Waits until no PodGroup is left.
  void awaitNone() {
    Awaitility.await("no PodGroups")
        .atMost(WAIT)
        .pollInterval(POLL)
        .until(() -> podGroups().inNamespace("default").list().getItems().isEmpty());
  }

  /// Deletes every PodGroup.
  public void deleteAll() {
    podGroups().inNamespace("default").delete();
  }
}

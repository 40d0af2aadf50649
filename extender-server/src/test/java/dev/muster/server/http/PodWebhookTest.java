package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.policy.config.GatingFields.OwnVisibleDevices;
import dev.muster.server.http.PodWebhook.Task;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.kube.budget.ObjectBudget;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The webhook adds gates and hides GPUs on new pods, and changes nothing else.
class PodWebhookTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String GATE =
      "{\"op\":\"add\",\"path\":\"/spec/schedulingGates\",\"value\":[{\"name\":\"muster.dev/gang\"}]}";
  private static final String GPU = "\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}";

  private final Map<String, Map<String, String>> namespaces =
      Map.of(
          "off", Map.of("muster.dev/gate", "disabled", "muster.dev/hide-gpus", "disabled"),
          "open", Map.of("muster.dev/hide-gpus", "disabled"));

  private PodWebhook webhook(boolean gate, boolean hide) {
    return new PodWebhook(
        ServerImages.SCOPE,
        new WebhookOptions(gate, hide, name -> namespaces.getOrDefault(name, Map.of())),
        _ -> false);
  }

  private static PodWebhook hiding(OwnVisibleDevices own) {
    WebhookOptions options =
        new WebhookOptions(false, true, own, _ -> Map.of(), (_, _, _) -> false);
    return new PodWebhook(ServerImages.SCOPE, options, _ -> false);
  }

  @Test
  void pod_that_sets_visible_devices_can_be_refused()
      throws MalformedRequest, JsonProcessingException {
    String pod =
        "{\"spec\":{\"containers\":[{\"name\":\"b\"},{\"name\":\"c\",\"env\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"}]}]}}";
    byte[] body = review("ml", pod).getBytes(StandardCharsets.UTF_8);
    byte[] answer = hiding(OwnVisibleDevices.REFUSE).review(Task.BOTH, body);
    JsonNode response =
        MAPPER.readTree(new String(answer, StandardCharsets.UTF_8)).path("response");
    assertThat(response)
        .hasToString(
            "{\"uid\":\"r1\",\"allowed\":false,\"status\":{\"code\":403,\"message\":\"Container c sets NVIDIA_VISIBLE_DEVICES, but requests no GPU. Remove the variable, or request nvidia.com/gpu.\"}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rdma/hca", "nvidia.com/hostdev", "openshift.io/mlnx", "x.org/migrations"})
  void devices_that_are_no_gpus_show_none(String resource)
      throws MalformedRequest, JsonProcessingException {
    assertThat(patch(requesting(resource))).contains("NVIDIA_VISIBLE_DEVICES");
  }

  private static String review(String namespace, String pod) {
    return "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r1\",\"operation\":\"CREATE\",\"namespace\":\"%s\",\"object\":%s}}"
        .formatted(namespace, pod);
  }

  private static JsonNode answer(PodWebhook webhook, String review)
      throws MalformedRequest, JsonProcessingException {
    return answer(webhook, Task.BOTH, review);
  }

  private static JsonNode answer(PodWebhook webhook, Task task, String review)
      throws MalformedRequest, JsonProcessingException {
    String answer =
        new String(
            webhook.review(task, review.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    JsonNode json = MAPPER.readTree(answer);
    assertThat(json.path("response").path("allowed").asBoolean()).isTrue();
    return json;
  }

  private String patch(String pod) throws MalformedRequest, JsonProcessingException {
    return patch(webhook(true, true), "ml", pod);
  }

  private static String patch(PodWebhook webhook, String namespace, String pod)
      throws MalformedRequest, JsonProcessingException {
    return patch(answer(webhook, review(namespace, pod)));
  }

  private static String patch(JsonNode answer) {
    JsonNode patch = answer.path("response").path("patch");
    return patch.isMissingNode()
        ? ""
        : new String(Base64.getDecoder().decode(patch.asText()), StandardCharsets.UTF_8);
  }

  private static String requesting(String resource) {
    return "{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"%s\":\"1\"}}}]}}"
        .formatted(resource);
  }

  @Test
  void hides_gpus_from_ephemeral_containers() throws MalformedRequest, JsonProcessingException {
    String old = "{\"name\":\"old\",\"image\":\"cuda\"}";
    String added = "{\"name\":\"new\",\"image\":\"cuda\"}";
    String review =
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r1\",\"operation\":\"UPDATE\",\"subResource\":\"ephemeralcontainers\",\"namespace\":\"%s\",\"oldObject\":{\"spec\":{\"ephemeralContainers\":[%s]}},\"object\":{\"spec\":{\"containers\":[{\"name\":\"main\"}],\"ephemeralContainers\":[%s,%s]}}}}";
    String hidden =
        "[{\"op\":\"add\",\"path\":\"/spec/ephemeralContainers/1/env\",\"value\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}]}]";

    PodWebhook webhook = webhook(true, true);
    assertThat(patch(answer(webhook, Task.HIDE, review.formatted("ml", old, old, added))))
        .isEqualTo(hidden);
    assertThat(patch(answer(webhook, Task.GATE, review.formatted("ml", old, old, added))))
        .isEmpty();
    assertThat(patch(answer(webhook, Task.HIDE, review.formatted("open", old, old, added))))
        .isEmpty();
  }

  @Test
  void answers_for_a_pod_with_thousands_of_variables()
      throws MalformedRequest, JsonProcessingException {
    String variables = "{\"name\":\"N\",\"value\":\"v\"},".repeat(3_999) + "{\"name\":\"N\"}";
    String pod = "{\"spec\":{\"containers\":[{%s,\"env\":[%s]}]}}".formatted(GPU, variables);
    assertThat(answer(webhook(true, true), review("ml", pod)).at("/response/allowed").asBoolean())
        .isTrue();
  }

  @Test
  void answers_the_review() throws MalformedRequest, JsonProcessingException {
    JsonNode answer =
        answer(
            webhook(true, true), review("ml", "{\"spec\":{\"containers\":[{%s}]}}".formatted(GPU)));
    assertThat(answer)
        .hasToString(
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"r1\",\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"%s\"}}"
                .formatted(
                    Base64.getEncoder()
                        .encodeToString(("[" + GATE + "]").getBytes(StandardCharsets.UTF_8))));
  }

  @Test
  void gates_pods_that_request_by_the_name_of_a_device_class()
      throws MalformedRequest, JsonProcessingException {
    assertThat(
            patch(
                "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"deviceclass.resource.kubernetes.io/gpu.nvidia.com\":\"1\"}}}]}}"))
        .contains("muster.dev/gang");
  }

  @Test
  void gates_pods_with_claims_for_gpus() throws MalformedRequest, JsonProcessingException {
    WebhookOptions options =
        new WebhookOptions(
            true,
            false,
            OwnVisibleDevices.OVERWRITE,
            _ -> Map.of(),
            (namespace, claims, templates) ->
                namespace.equals("ml")
                    && claims.stream().allMatch("gpu-0"::equals)
                    && templates.stream().allMatch("gpus"::equals));
    PodWebhook webhook = new PodWebhook(ServerImages.SCOPE, options, _ -> true);
    String pod = "{\"spec\":{\"resourceClaims\":[{\"name\":\"a\",%s}],\"containers\":[{}]}}";

    assertThat(patch(webhook, "ml", pod.formatted("\"resourceClaimTemplateName\":\"gpus\"")))
        .isEqualTo("[" + GATE + "]");
    assertThat(patch(webhook, "ml", pod.formatted("\"resourceClaimName\":\"gpu-0\"")))
        .isEqualTo("[" + GATE + "]");
    assertThat(
            patch(
                webhook,
                "ml",
                pod.formatted(
                    "\"resourceClaimName\":\"gpu-0\"},{\"resourceClaimTemplateName\":\"gpus\"")))
        .isEqualTo("[" + GATE + "]");
    assertThat(patch(webhook, "ml", pod.formatted("\"resourceClaimName\":\"nic\""))).isEmpty();
    assertThat(patch(webhook, "ml", pod.formatted("\"resourceClaimName\":\"gpus\"")))
        .as("a claim with a template's name")
        .isEmpty();
    assertThat(patch(webhook, "prod", pod.formatted("\"resourceClaimName\":\"gpu-0\""))).isEmpty();
  }

  /// Otherwise the reviews of others wait, and pods whose review is late pass without a gate.
  @Test
  void looks_up_no_claims_beyond_the_budget() throws MalformedRequest, JsonProcessingException {
    WebhookOptions options =
        new WebhookOptions(
            true,
            false,
            OwnVisibleDevices.OVERWRITE,
            _ -> Map.of(),
            (_, _, _) -> {
              throw new AssertionError("looked up");
            });
    PodWebhook webhook = new PodWebhook(ServerImages.SCOPE, options, _ -> true);
    String claims = ",{\"resourceClaimName\":\"c\"}".repeat(ObjectBudget.CLAIMS);

    assertThat(patch(webhook, "ml", "{\"spec\":{\"resourceClaims\":[{}%s]}}".formatted(claims)))
        .isEqualTo("[" + GATE + "]");
  }

  @Test
  void gates_pods_that_request_gpus() throws MalformedRequest, JsonProcessingException {
    assertThat(patch("{\"spec\":{\"containers\":[{%s}]}}".formatted(GPU)))
        .isEqualTo("[" + GATE + "]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata\":{\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"t\"}},\"spec\":{}}",
        "{\"metadata\":{\"annotations\":{\"scheduling.k8s.io/group-name\":\"t\"}},\"spec\":{}}",
        "{\"metadata\":{\"annotations\":{\"scheduling.volcano.sh/group-name\":\"t\"}},\"spec\":{}}",
        "{\"spec\":{\"schedulingGroup\":{\"podGroupName\":\"t\"}}}",
        "{\"spec\":{\"schedulerName\":\"\",\"schedulingGroup\":{\"podGroupName\":\"t\"},\"schedulingGates\":null}}"
      })
  void gates_members_of_gangs(String pod) throws MalformedRequest, JsonProcessingException {
    assertThat(patch(pod)).isEqualTo("[" + GATE + "]");
  }

  @Test
  void adds_its_gate_to_other_gates() throws MalformedRequest, JsonProcessingException {
    assertThat(
            patch(
                "{\"spec\":{\"schedulingGates\":[{\"name\":\"x\"}],\"containers\":[{%s}]}}"
                    .formatted(GPU)))
        .isEqualTo(
            "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates/-\",\"value\":{\"name\":\"muster.dev/gang\"}}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"spec\":{\"containers\":[{%s}],\"schedulerName\":\"volcano\"}}",
        "{\"metadata\":{\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"g\"}},\"spec\":{\"nodeName\":\"gpu-1\"}}",
        "{\"spec\":{\"containers\":[{%s}],\"schedulingGates\":[{\"name\":\"muster.dev/gang\"}]}}",
        "{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"0\"}},\"env\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}]}]}}",
        "{\"spec\":5}",
        "{\"spec\":{\"containers\":7}}",
        "{\"spec\":{\"containers\":[5,null]}}",
        "{\"kind\":\"Binding\",\"spec\":{}}",
        "null"
      })
  void ignores_other_pods(String pod) throws MalformedRequest, JsonProcessingException {
    assertThat(patch(pod.formatted(GPU))).isEmpty();
  }

  @Test
  void hides_gpus_from_containers_that_requested_none()
      throws MalformedRequest, JsonProcessingException {
    String pod =
        "{\"spec\":{\"initContainers\":[{\"name\":\"i\"}],\"containers\":[{%s},{\"env\":[{\"name\":\"A\"}]},{\"env\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"}]}]}}"
            .formatted(GPU);
    assertThat(patch(webhook(false, true), "ml", pod))
        .isEqualTo(
            "[{\"op\":\"add\",\"path\":\"/spec/containers/1/env/-\",\"value\":{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}},"
                + "{\"op\":\"replace\",\"path\":\"/spec/containers/2/env/0\",\"value\":{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}},"
                + "{\"op\":\"add\",\"path\":\"/spec/initContainers/0/env\",\"value\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}]}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/mig-1g.10gb",
        "nvidia.com/gpu.shared",
        "volcano.sh/vgpu-number",
        "aliyun.com/gpu-mem",
        "nvidia.com/gpumem",
        "tencent.com/vcuda-core",
        "deviceclass.resource.kubernetes.io/gpu.nvidia.com"
      })
  void keeps_gpus_of_containers_with_a_device_plugin_or_claim(String resource)
      throws MalformedRequest, JsonProcessingException {
    assertThat(patch(requesting(resource))).doesNotContain("NVIDIA_VISIBLE_DEVICES");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"cpu", "hugepages-2Mi", "attachable-volumes-aws-ebs", "pod.kubernetes.io/x"})
  void hides_gpus_from_containers_with_only_kubernetes_resources(String resource)
      throws MalformedRequest, JsonProcessingException {
    assertThat(patch(requesting(resource))).contains("NVIDIA_VISIBLE_DEVICES");
  }

  @Test
  void is_switched_by_configuration_and_by_namespace()
      throws MalformedRequest, JsonProcessingException {
    String pod = "{\"spec\":{\"containers\":[{%s},{\"name\":\"side\"}]}}".formatted(GPU);
    assertThat(patch(webhook(false, false), "ml", pod)).isEmpty();
    assertThat(patch(webhook(true, true), "off", pod)).isEmpty();
    assertThat(patch(webhook(true, true), "open", pod)).isEqualTo("[" + GATE + "]");
    assertThat(patch(webhook(true, true), "unknown", pod)).contains("NVIDIA_VISIBLE_DEVICES");
  }

  /// The GPU operator's pods request GPUs here and there, and are not to be hidden any.
  @Test
  void each_path_applies_only_its_own_changes() throws MalformedRequest, JsonProcessingException {
    String review =
        review(
            "gpu-operator",
            "{\"spec\":{\"initContainers\":[{%s}],\"containers\":[{\"name\":\"v\"}]}}"
                .formatted(GPU));
    String hidden =
        "{\"op\":\"add\",\"path\":\"/spec/containers/0/env\",\"value\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"none\"}]}";

    assertThat(patch(answer(webhook(true, true), Task.GATE, review))).isEqualTo("[" + GATE + "]");
    assertThat(patch(answer(webhook(true, true), Task.HIDE, review))).isEqualTo("[" + hidden + "]");
    assertThat(patch(answer(webhook(true, true), Task.BOTH, review)))
        .isEqualTo("[" + GATE + "," + hidden + "]");
  }

  @Test
  void changes_only_new_pods() throws MalformedRequest, JsonProcessingException {
    String update =
        review("ml", "{\"spec\":{\"containers\":[{%s}]}}".formatted(GPU))
            .replace("CREATE", "UPDATE");
    assertThat(answer(webhook(true, true), update).path("response").has("patch")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"kind\":\"AdmissionReview\"}",
        "{\"kind\":\"AdmissionReview\",\"request\":{}",
        "{\"kind\":\"Pod\",\"request\":{}}"
      })
  void refuses_bodies_that_are_not_reviews(String body) {
    assertThatThrownBy(
            () -> webhook(true, true).review(Task.BOTH, body.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(MalformedRequest.class);
  }
}

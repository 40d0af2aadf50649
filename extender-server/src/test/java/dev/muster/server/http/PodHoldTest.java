package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.gang.GangId;
import dev.muster.policy.config.PodHold;
import dev.muster.server.http.PodWebhook.Task;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.kube.owner.kind.OwnedPod;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The webhook keeps pods of gangs by what is chosen, and all others by the gate.
class PodHoldTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String GPU =
      "\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}}]";
  private static final String NO_GPU = "\"containers\":[{\"name\":\"launcher\"}]";
  private static final String TRAIN = "\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"train\"}";
  private static final String GATE =
      "[{\"op\":\"add\",\"path\":\"/spec/schedulingGates\",\"value\":[{\"name\":\"muster.dev/gang\"}]}]";
  private static final String SWITCH =
      "[{\"op\":\"add\",\"path\":\"/spec/schedulingGroup\",\"value\":{\"podGroupName\":\"train.p0.gang.muster.dev\"}}]";

  private Function<OwnedPod, Optional<GangId>> owners = _ -> Optional.empty();

  private String patch(PodHold hold, String metadata, String spec) throws Exception {
    PodScope scope = new PodScope(Set.of("nvidia.com/gpu"), Set.of("default-scheduler"), owners);
    WebhookOptions options =
        new WebhookOptions(true, false, _ -> Map.of())
            .keeping(namespace -> namespace.equals("ml") ? hold : PodHold.GATE);
    String review =
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"r1\",\"operation\":\"CREATE\",\"namespace\":\"ml\",\"object\":{\"metadata\":{%s},\"spec\":{%s}}}}"
            .formatted(metadata, spec);
    byte[] answer =
        new PodWebhook(scope, options, _ -> false)
            .review(Task.GATE, review.getBytes(StandardCharsets.UTF_8));
    String patch = MAPPER.readTree(answer).path("response").path("patch").asText();
    return new String(Base64.getDecoder().decode(patch), StandardCharsets.UTF_8);
  }

  @Test
  void gang_with_a_gpu_gets_its_switch() throws Exception {
    assertThat(patch(PodHold.NATIVE, TRAIN, GPU)).isEqualTo(SWITCH);
    assertThat(patch(PodHold.NATIVE, TRAIN, GPU + ",\"priority\":7"))
        .contains("train.p7.gang.muster.dev");
  }

  @Test
  void gang_of_an_owner_gets_its_switch() throws Exception {
    owners = _ -> Optional.of(new GangId("ml", GangId.Origin.POD_GROUP, "train"));

    assertThat(patch(PodHold.NATIVE, "", GPU)).isEqualTo(SWITCH);
  }

  @Test
  void pod_about_which_kube_scheduler_does_not_ask_gets_a_gate() throws Exception {
    assertThat(patch(PodHold.NATIVE, TRAIN, NO_GPU)).isEqualTo(GATE);
    assertThat(patch(PodHold.FILTER, TRAIN, NO_GPU)).isEqualTo(GATE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"Train_1\"}",
        "\"annotations\":{\"scheduling.k8s.io/group-name\":\"train\"}",
        "",
      })
  void lone_pod_and_gang_without_such_a_pod_group_get_gates(String metadata) throws Exception {
    assertThat(patch(PodHold.NATIVE, metadata, GPU)).isEqualTo(GATE);
  }

  @Test
  void pod_group_of_the_user_stays() throws Exception {
    String own = GPU + ",\"schedulingGroup\":{\"podGroupName\":\"mine\"}";

    assertThat(patch(PodHold.NATIVE, TRAIN, own)).isEqualTo(GATE);
    assertThat(patch(PodHold.NATIVE, "", own)).isEqualTo(GATE);
  }

  @Test
  void pod_that_has_a_switch_stays_as_it_is() throws Exception {
    String switched = GPU + ",\"schedulingGroup\":{\"podGroupName\":\"train.p0.gang.muster.dev\"}";

    assertThat(patch(PodHold.GATE, TRAIN, switched)).isEmpty();
    assertThat(patch(PodHold.NATIVE, TRAIN, switched)).isEmpty();
  }

  @Test
  void filter_adds_nothing_to_gangs_and_a_gate_to_lone_pods() throws Exception {
    assertThat(patch(PodHold.FILTER, TRAIN, GPU)).isEmpty();
    assertThat(patch(PodHold.FILTER, "", GPU)).isEqualTo(GATE);
  }

  @Test
  void gate_is_added_to_all() throws Exception {
    assertThat(patch(PodHold.GATE, TRAIN, GPU)).isEqualTo(GATE);
    assertThat(patch(PodHold.GATE, "", GPU)).isEqualTo(GATE);
  }
}

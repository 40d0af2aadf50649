package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.client.ResourceKind.Standing;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourceKindTest {
  @AutoClose private final ScriptedApi api = new ScriptedApi();
  @AutoClose private final KubernetesClient client = api.client();

  private Standing standing() {
    return ResourceKind.of("pods", client, "/api/v1/pods", Pod.class).standing("7");
  }

  @ParameterizedTest
  @CsvSource({
    "200, '', CURRENT",
    "200, '{\"type\": \"ADDED\", \"object\": {}}', BEHIND",
    "200, '{\"type\": \"ERROR\", \"object\": {\"code\": 410}}', BEHIND",
    "410, too old, BEHIND",
    "403, no, UNKNOWN",
    "500, trouble, UNKNOWN"
  })
  void answer_of_the_api_server_states_the_availability_of_a_kind(
      int code, String body, Standing standing) {
    api.answers(_ -> new Reply(code, body));

    assertThat(standing()).isEqualTo(standing);
  }

  @Test
  void availability_is_unknown_without_an_answer() {
    api.close();

    assertThat(standing()).isEqualTo(Standing.UNKNOWN);
  }
}

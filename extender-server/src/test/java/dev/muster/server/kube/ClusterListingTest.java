package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The remedy fits what is in the way.
class ClusterListingTest {
  private static KubernetesClient impatient(String url) {
    var config = new ConfigBuilder().withMasterUrl(url).withRequestRetryBackoffLimit(0).build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static String url(ScriptedApi api) {
    try (KubernetesClient client = api.client()) {
      return client.getMasterUrl().toString();
    }
  }

  private static void refused(String url, String message) {
    try (KubernetesClient client = impatient(url)) {
      assertThatThrownBy(() -> ClusterListing.read(client, KubeSettings.DEFAULT, Instant.EPOCH))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("The priority classes cannot be listed: " + message.formatted(url));
    }
  }

  @Test
  void an_api_server_that_is_away() {
    String gone;
    try (ScriptedApi api = new ScriptedApi()) {
      gone = url(api);
    }
    refused(
        gone,
        "the API server %s gives no answer: it refuses the connection. Maybe it is down, or the kubeconfig names another address.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "401|the API server %s does not know this user (401 no). Maybe the token or certificate of the kubeconfig is over.",
        "403|this user may not (403 no). Maybe give it the verbs get and list on nodes, pods, priority classes, PodGroups and all of resource.k8s.io.",
        "404|the API server %s answered 404 no. Maybe the address is of something else.",
        "500|the API server %s answered 500 no. Maybe it is in trouble; try again."
      })
  void an_answer_that_is_no_list(int code, String message) {
    try (ScriptedApi api = new ScriptedApi()) {
      api.answers(_ -> ScriptedApi.Reply.refused(code, "no"));
      refused(url(api), message);
    }
  }
}

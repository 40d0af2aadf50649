package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.client.KubeSettings;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A failed listing of the cluster is reported with a fitting remedy.
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
  void unavailable_api_server_is_reported() {
    String gone;
    try (ScriptedApi api = new ScriptedApi()) {
      gone = url(api);
    }
    refused(gone, "the API server %s does not answer: connection refused.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "401|the API server %s rejects the credentials (401 no). The token or certificate in the kubeconfig may have expired.",
        "403|access denied (403 no). Required are the verbs get and list on nodes, pods, priority classes, PodGroups and all of resource.k8s.io.",
        "404|the server %s answered 404 no. It may not be an API server.",
        "500|the API server %s answered 500 no. Try again later."
      })
  void answer_that_is_not_a_list_is_reported(int code, String message) {
    try (ScriptedApi api = new ScriptedApi()) {
      api.answers(_ -> ScriptedApi.Reply.refused(code, "no"));
      refused(url(api), message);
    }
  }
}

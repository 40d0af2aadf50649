package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ApiErrorTextTest {
  @Test
  void error_text_has_only_the_message_of_the_api_server() {
    var said = new StatusBuilder().withMessage("nodes is forbidden: User \"ann\"").build();
    var refused =
        new KubernetesClientException("Failure executing: GET at: https://api/", 403, said);
    assertThat(ApiErrorText.brief(new CompletionException(refused)))
        .isEqualTo("403 nodes is forbidden: User \"ann\"");
  }

  @Test
  void missing_answer_is_reported_with_its_cause() {
    var failed = new KubernetesClientException("Failure executing", new ConnectException("no"));
    assertThat(ApiErrorText.brief(new CompletionException(failed))).isEqualTo("connection refused");
  }

  @Test
  void closed_connection_is_reported_without_the_name_of_an_exception() {
    var failed = new KubernetesClientException("Failure executing", new ClosedChannelException());
    assertThat(ApiErrorText.brief(failed)).isEqualTo("connection closed");
  }
}

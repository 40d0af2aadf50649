package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.server.kube.ScriptedApi;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ApiProbeTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(ApiProbe.class);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  @BeforeEach
  void listen() {
    told.start();
    logger.addAppender(told);
  }

  @AfterEach
  void forget() {
    logger.detachAppender(told);
  }

  private List<String> lines() {
    return told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void unavailable_api_server_is_reported_at_most_once_a_minute() {
    ScriptedApi server = new ScriptedApi();
    try (KubernetesClient client = server.client()) {
      server.close();
      ApiProbe probe = new ApiProbe(client);
      probe.look();
      probe.look();
      assertThat(lines())
          .containsExactly(
              "The API server %s does not answer: connection refused. No decisions are made until it does."
                  .formatted(client.getMasterUrl().toString().replaceAll("/$", "")));
    }
  }

  @Test
  void refusal_counts_as_an_answer() {
    try (ScriptedApi server = new ScriptedApi();
        KubernetesClient client = server.client()) {
      server.answers(_ -> ScriptedApi.Reply.refused(403, "no"));
      new ApiProbe(client).look();
      assertThat(lines()).isEmpty();
    }
  }
}

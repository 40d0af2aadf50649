package dev.muster.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class JsonLogEncoderTest {
  @Test
  void writes_one_flat_object() throws IOException {
    var logger = new LoggerContext().getLogger("dev.muster.decision");
    var event =
        new LoggingEvent(
            "here",
            logger,
            Level.WARN,
            "gang \"{}\"",
            new IOException("no"),
            new Object[] {"a\nb"});
    event.setInstant(Instant.parse("2026-11-01T10:00:00.123Z"));
    event.addKeyValuePair(new KeyValuePair("gang", "ml/train"));
    event.addKeyValuePair(new KeyValuePair("clusterVersion", 7L));

    String line = new String(new JsonLogEncoder().encode(event), StandardCharsets.UTF_8);
    assertThat(line).endsWith("}\n").hasLineCount(1);
    JsonNode json = new ObjectMapper().readTree(line);
    assertThat(json.path("time").asText()).isEqualTo("2026-11-01T10:00:00.123Z");
    assertThat(json.path("level").asText()).isEqualTo("WARN");
    assertThat(json.path("message").asText()).isEqualTo("gang \"a\nb\"");
    assertThat(json.path("gang").asText()).isEqualTo("ml/train");
    assertThat(json.path("clusterVersion").isIntegralNumber()).isTrue();
    assertThat(json.path("error").asText()).contains("java.io.IOException: no");
  }
}

package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class ServeTest {
  @Test
  void a_webhook_is_told_in_words() {
    assertThat(Serve.webhook(OptionalInt.of(8443))).isEqualTo("webhook port 8443");
    assertThat(Serve.webhook(OptionalInt.empty()))
        .isEqualTo("no webhook, since the configuration has no server.tls");
  }
}

package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.server.tracing.GangTracing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Traces have threads only if a receiver is configured.
class TracingSwitchTest {
  private final Set<Thread> before = Thread.getAllStackTraces().keySet();

  private static @Nullable GangTracing tracing(String fields) {
    String text = "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n" + fields;
    MusterConfiguration configuration =
        ConfigurationLoader.load("muster.yaml", text.getBytes(StandardCharsets.UTF_8))
            .orThrow(IllegalStateException::new);
    return new Assembly(configuration).tracing("1.2.3", "muster-0");
  }

  private List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread))
        .map(Thread::getName)
        .filter(name -> name.startsWith("muster-tracing") || name.startsWith("BatchSpan"))
        .toList();
  }

  @Test
  void no_receiver_means_no_thread() {
    assertThat(tracing("")).isNull();
    assertThat(threads()).isEmpty();
  }

  @Test
  void receiver_means_threads() {
    try (GangTracing tracing = tracing("tracing: {endpoint: \"http://127.0.0.1:1\"}\n")) {
      Optional.ofNullable(tracing).orElseThrow().start(_ -> Optional.empty());
      assertThat(threads())
          .anyMatch(name -> name.startsWith("muster-tracing"))
          .anyMatch(name -> name.startsWith("BatchSpan"));
    }
  }
}

package dev.muster.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.gang.GangId;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.policy.config.PreemptionFields;
import dev.muster.policy.preemption.load.PolicyWatch;
import dev.muster.policy.preemption.load.PolicyWatch.Status;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class PolicyFeedTest {
  private static final String HEADER = "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n";
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

  @TempDir private Path folder = Path.of("");

  private PolicyFeed feed() throws IOException {
    return PolicyFeed.open(new PreemptionFields(folder.toString(), "", ""), () -> NOW);
  }

  private void write(String text) throws IOException {
    Files.writeString(folder.resolve("policy.yaml"), HEADER + text);
  }

  @Test
  void without_a_path_there_is_no_policy() throws IOException {
    try (PolicyFeed feed = PolicyFeed.open(new PreemptionFields("", "", ""), () -> NOW)) {
      assertThat(feed.watch()).isEmpty();
    }
  }

  @Test
  void invalid_file_is_counted_and_reported() throws IOException {
    write("mode: Shadow");
    PolicyFeed feed = feed();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    feed.register(registry).run();
    assertThat(registry.scrape())
        .contains("muster_policy_last_reload_successful 1.0")
        .contains("muster_policy_info{revision=\"" + feed.watch().orElseThrow().status().revision())
        .contains("muster_policy_last_reload_success_timestamp_seconds 1.8E9")
        .contains("muster_policy_expression_failures_total 0.0");

    write("mode: Shadowy");
    PolicyWatch watch = feed.watch().orElseThrow();
    watch.poll();
    watch.poll();

    assertThat(registry.scrape()).contains("muster_policy_last_reload_successful 0.0");
    assertThat(watch.get().mode()).isEqualTo(Mode.SHADOW);
  }

  @Test
  void expression_without_value_is_logged_with_a_limited_rate() throws IOException {
    write("delay: \"duration(preemptor.labels['wait'])\"");
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(PolicyFeed.class);
    told.start();
    try (PolicyFeed feed = feed()) {
      logger.addAppender(told);
      for (int i = 0; i < 100; i++) {
        assertThat(feed.get().delay(unlabelled())).isEmpty();
      }
    } finally {
      logger.detachAppender(told);
    }

    assertThat(told.list)
        .singleElement()
        .satisfies(event -> assertThat(event.getLevel()).isEqualTo(Level.WARN))
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("delay", "duration(preemptor.labels['wait'])");
  }

  private static GangProfile unlabelled() {
    return new GangProfile(
        new GangId("ml", GangId.Origin.POD_GROUP, "prod"),
        "ml",
        0,
        new TreeMap<>(),
        1,
        1,
        1,
        0,
        new TreeSet<>(),
        Duration.ZERO,
        Duration.ZERO,
        Optional.empty(),
        Duration.ZERO,
        0,
        List.of(),
        false,
        true);
  }

  @Test
  void invalid_policy_at_startup_is_reported_at_once() throws IOException {
    write("mode: 3");
    List<Status> told = new ArrayList<>();
    try (PolicyFeed feed = feed()) {
      feed.follow(told::add);
    }

    assertThat(told).singleElement().extracting(PolicyFeed::said).asString().contains("mode");
  }
}

package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.server.kube.watch.WatchHealth.Fault;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WatchHealthTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(WatchHealth.class);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private Instant now = Instant.parse("2026-11-01T10:00:00Z");
  private final WatchHealth health = new WatchHealth(() -> now);

  @BeforeEach
  void listen() {
    told.start();
    logger.addAppender(told);
  }

  @AfterEach
  void forget() {
    logger.detachAppender(told);
  }

  private List<String> warnings() {
    return told.list.stream()
        .filter(line -> line.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private void endsAfter(int seconds, String kind) {
    now = now.plusSeconds(seconds);
    health.failed(kind, Fault.ENDED, "its connection was closed");
  }

  /// An API server that restarts ends each watch once.
  @Test
  void single_end_of_every_watch_is_no_warning() {
    for (String kind : List.of("pods", "nodes", "namespaces", "PodGroups")) {
      endsAfter(0, kind);
    }

    assertThat(warnings()).isEmpty();
    assertThat(health.count(Fault.ENDED)).isEqualTo(4);
  }

  @Test
  void watch_that_ends_every_three_seconds_is_warned_about_at_the_third_end() {
    endsAfter(3, "pods");
    endsAfter(3, "pods");
    assertThat(warnings()).isEmpty();
    endsAfter(3, "pods");
    endsAfter(3, "pods");

    assertThat(warnings())
        .containsExactly(
            "The watch of pods ended 3 times within a minute and begins again each time: its connection was closed. A proxy or firewall between Muster and the API server may cut it.");
  }

  @Test
  void watch_that_ends_every_minute_is_not_warned_about() {
    for (int i = 0; i < 10; i++) {
      endsAfter(61, "pods");
    }

    assertThat(warnings()).isEmpty();
  }

  @Test
  void dead_watch_is_warned_about() {
    health.failed("pods", Fault.DEAD, "it did not report what had changed");

    assertThat(warnings())
        .containsExactly(
            "The watch of pods was dead and begins again: it did not report what had changed. A firewall may have dropped its connection.");
    assertThat(health.count(Fault.DEAD)).isEqualTo(1);
  }
}

package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.MemberReport;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The annotations of a pod about itself, and its record of the charged queue.
class PodReportTest extends PodCodecScene {
  @ParameterizedTest
  @ValueSource(strings = {"muster.dev/checkpointed-at", "muster.dev/preemption-acknowledged"})
  void invalid_time_is_reported_and_ignored(String key) {
    PodFact.Ours fact = ours("annotations: {%s: \"2026-11-01 12:00\"}".formatted(key), "", "");

    assertThat(fact.member().report()).isEqualTo(MemberReport.NONE);
    assertThat(fact.own()).isPresent();
    assertThat(fact.problem().orElseThrow().message())
        .isEqualTo(
            "The annotation %s is (2026-11-01 12:00) and is ignored; it must be a time with its zone, such as 2026-11-01T12:00:00Z."
                .formatted(key));
  }

  @Test
  void time_that_kubernetes_cannot_write_is_ignored() {
    PodFact.Ours pod =
        ours("annotations: {muster.dev/checkpointed-at: '+999999999-01-01T00:00:00Z'}", "", "");

    assertThat(pod.member().report().checkpoint()).isEmpty();
    assertThat(pod.problem()).isPresent();
  }

  @Test
  void recorded_queue_is_read() {
    assertThat(chargedQueue("team-a")).contains("team-a");
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "a\tb", "a b", "!", "-a"})
  void recorded_queue_is_ignored_where_no_queue_can_have_the_name(String name) {
    assertThat(chargedQueue(name)).isEmpty();
  }

  @Test
  void recorded_queue_is_ignored_where_it_is_longer_than_names_of_objects() {
    assertThat(chargedQueue("q".repeat(253))).isPresent();
    assertThat(chargedQueue("q".repeat(254))).isEmpty();
  }

  private static Optional<String> chargedQueue(String name) {
    return ours("annotations: {muster.dev/charged-queue: '%s'}".formatted(name), "", "")
        .member()
        .report()
        .chargedQueue();
  }
}

package dev.muster.core.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// One namespace cannot displace what others have taught, nor decide the usual run time.
class RuntimeHistoryTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void namespace_with_many_lineages_displaces_its_own() {
    RuntimeHistory history = RuntimeHistory.NONE.with("quiet", "quiet/train", HOUR, START);
    for (int i = 0; i < RuntimeHistory.LINEAGES + 10; i++) {
      history = history.with("busy", "busy/" + i, SECOND, START.plusSeconds(1 + i));
    }
    assertThat(history.byLineage().size()).isEqualTo(RuntimeHistory.LINEAGES);
    assertThat(history.byLineage().contains("quiet/train")).isTrue();
    assertThat(history.byLineage().contains("busy/10")).isFalse();
    assertThat(history.byLineage().contains("busy/11")).isTrue();
  }

  @Test
  void lineage_is_displaced_in_the_order_of_its_last_run() {
    RuntimeHistory history = RuntimeHistory.NONE;
    for (int i = 0; i < RuntimeHistory.LINEAGES; i++) {
      history = history.with("ml", "ml/" + i, SECOND, START.plusSeconds(i));
    }
    Instant later = START.plusSeconds(RuntimeHistory.LINEAGES);
    history = history.with("ml", "ml/0", SECOND, later).with("ml", "ml/new", SECOND, later);
    assertThat(history.byLineage().contains("ml/0")).isTrue();
    assertThat(history.byLineage().contains("ml/1")).isFalse();
  }

  @Test
  void run_of_no_lineage_says_nothing_about_other_gangs_without_one() {
    RuntimeHistory history = RuntimeHistory.NONE.with("ml", "", HOUR, START);
    assertThat(history.byLineage().isEmpty()).isTrue();
  }

  @Test
  void short_runs_of_one_namespace_do_not_become_the_usual_ones() {
    RuntimeHistory history = ended(RuntimeHistory.NONE, "quiet", HOUR, 16);
    assertThat(ended(history, "busy", SECOND, 1_024).usual()).contains(HOUR);
  }

  @Test
  void long_runs_of_one_namespace_count_no_more_than_those_of_all_others() {
    RuntimeHistory history = RuntimeHistory.NONE;
    for (int i = 0; i < 16; i++) {
      history = ended(history, "team-" + i, HOUR, 16);
    }
    assertThat(ended(history, "busy", Duration.ofDays(9), 1_024).usual()).contains(HOUR);
  }

  @Test
  void all_runs_count_in_a_cluster_of_one_namespace() {
    RuntimeHistory history = ended(RuntimeHistory.NONE, "ml", HOUR, 64);
    assertThat(ended(history, "ml", SECOND, 192).usual()).contains(HOUR);
  }

  @Test
  void last_32_runs_of_a_namespace_count_although_others_have_fewer() {
    RuntimeHistory history = ended(RuntimeHistory.NONE, "quiet", SECOND, 16);
    history = ended(history, "busy", HOUR, 16);
    assertThat(ended(history, "busy", SECOND, 16).usual()).contains(HOUR);
  }

  @Test
  void more_runs_of_a_namespace_count_if_others_have_more_together() {
    RuntimeHistory history = RuntimeHistory.NONE;
    for (int i = 0; i < 4; i++) {
      history = ended(history, "team-" + i, SECOND, 16);
    }
    history = ended(history, "busy", HOUR, 32);
    assertThat(ended(history, "busy", SECOND, 32).usual()).contains(HOUR);
  }

  private static RuntimeHistory ended(
      RuntimeHistory before, String namespace, Duration took, int runs) {
    RuntimeHistory history = before;
    for (int i = 0; i < runs; i++) {
      history = history.with(namespace, took);
    }
    return history;
  }
}

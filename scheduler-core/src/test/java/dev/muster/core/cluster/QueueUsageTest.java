package dev.muster.core.cluster;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The account of an idle queue is kept while its usage counts.
class QueueUsageTest {
  private static final Duration WEEK = Cluster.HALF_LIFE;

  /// A gang of 4 GPUs has run for 10 s.
  private static Scene usedOnce() {
    return Scene.of("b/r: n1[....]")
        .arrives(gang("a").of(1, 4).queue("once"))
        .after(Duration.ofSeconds(10))
        .ends("a");
  }

  private static Scene later(Scene scene, Duration time) {
    return scene.then(new Event.Tick(Scene.START.plus(time)));
  }

  @Test
  void used_queue_is_kept_while_its_usage_counts() {
    Scene scene = later(usedOnce(), WEEK.multipliedBy(2));
    assertThat(scene.cluster().ledger().accounts().keys()).containsExactly("once");
  }

  @Test
  void queue_is_dropped_when_its_usage_counts_no_more() {
    Scene scene = later(usedOnce(), WEEK.multipliedBy(5));
    assertThat(scene.cluster().ledger().accounts().keys()).isEmpty();
  }

  @Test
  void queue_in_use_is_kept_however_small_its_usage() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(gang("a").of(1, 4).queue("now"));
    later(scene, WEEK.multipliedBy(5));
    assertThat(scene.cluster().ledger().accounts().keys()).containsExactly("now");
  }

  /// Returns accounts of idle queues that have each used one GPU for this time.
  private static SortedTable<String, QueueUsage> used(int queues, long gpuMillis) {
    SortedTable<String, QueueUsage> accounts = SortedTable.empty();
    for (int i = 0; i < queues; i++) {
      QueueUsage held = QueueUsage.empty(WEEK).holding("H100", 1, Scene.START);
      accounts =
          accounts.with(
              gpuMillis + "-" + i, held.holding("H100", -1, Scene.START.plusMillis(gpuMillis)));
    }
    return accounts;
  }

  private static UsageLedger ledger(SortedTable<String, QueueUsage> accounts) {
    return new UsageLedger(
        WEEK, SortedTable.empty(), SortedTable.empty(), accounts, SortedTable.empty());
  }

  private static UsageLedger minuteLater(UsageLedger ledger) {
    return ledger.passing(Scene.START, Scene.START.plusSeconds(61));
  }

  @Test
  void many_queues_that_do_not_count_are_dropped_within_a_minute() {
    UsageLedger many = ledger(used(UsageLedger.MANY + 1, 1));
    assertThat(minuteLater(many).accounts().keys()).isEmpty();
  }

  @Test
  void few_queues_are_kept_until_the_half_life() {
    UsageLedger few = ledger(used(UsageLedger.MANY, 1));
    assertThat(minuteLater(few)).isSameAs(few);
  }

  @Test
  void idle_queues_with_the_least_usage_are_dropped_beyond_the_maximum() {
    var accounts = used(QueueUsage.MOST_IDLE, 60_000);
    for (var small : used(5, 10_000).entries()) {
      accounts = accounts.with(small.key(), small.value());
    }
    assertThat(minuteLater(ledger(accounts)).accounts().keys())
        .hasSize(QueueUsage.MOST_IDLE)
        .allMatch(queue -> queue.startsWith("60000"));
  }
}

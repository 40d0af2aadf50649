package dev.muster.core.admission;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Pods record the queue that is charged for them, where the object of their gang does not name it.
/// A restart reads that.
class RecordedAccountTest {
  private static final String NODES = "b/r: n1[........]";
  private static final GangDraft GANG = gang("g").of(2, 4).queue("b");
  private static final Queue OTHERS = Queue.of("others").taking(List.of("nlp"));

  private final Scene scene = Scene.unsynced(NODES, policies());

  private static Policies policies() {
    return Policies.of(
        Queues.of(List.of(Queue.of("a"), Queue.of("b"), Queue.of("ml"), OTHERS)),
        Policies.DEFAULT.bindTimeout(),
        Optional.empty());
  }

  private void declared() {
    scene.then(new Event.GangSeen(scene.now(), GANG.spec()));
  }

  private void runs(int rank, String recorded) {
    Member bound = GANG.member(rank, "").as(new MemberState.Bound(new NodeId("n1"), scene.now()));
    scene.reports(bound, MemberReport.NONE.charging(Optional.of(recorded)));
  }

  private void synced() {
    scene.then(new Event.Synced(scene.now()));
  }

  private int charged(String queue) {
    return scene.cluster().ledger().account(queue).inUse();
  }

  @Test
  void gpus_stay_in_the_recorded_queue_although_the_object_names_another_one() {
    runs(0, "a");
    declared();
    runs(1, "a");
    synced();
    assertThat(charged("a")).isEqualTo(8);
    assertThat(charged("b")).isZero();
  }

  @Test
  void gpus_stay_in_the_recorded_queue_without_the_object() {
    runs(0, "a");
    synced();
    assertThat(charged("a")).isEqualTo(4);
    assertThat(charged("ml")).isZero();
  }

  @Test
  void gpus_stay_there_when_the_object_returns() {
    runs(0, "a");
    synced();
    declared();
    assertThat(charged("a")).isEqualTo(4);
  }

  @Test
  void one_record_is_enough_for_the_gang() {
    declared();
    runs(0, "a");
    scene.becomes(GANG.member(1, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    synced();
    assertThat(charged("a")).isEqualTo(8);
  }

  @Test
  void first_by_name_of_different_records_counts() {
    declared();
    runs(0, "ml");
    runs(1, "a");
    synced();
    assertThat(charged("a")).isEqualTo(8);
  }

  @Test
  void gpu_time_since_the_binding_counts_for_the_recorded_queue() {
    declared();
    runs(0, "a");
    scene.after(Duration.ofHours(1));
    synced();
    assertThat(scene.cluster().ledger().account("a").usage().gpuMillis()).isPositive();
    assertThat(scene.cluster().ledger().accounts().contains("b")).isFalse();
  }

  @Test
  void record_of_a_queue_that_does_not_take_the_namespace_is_ignored() {
    declared();
    runs(0, "others");
    synced();
    assertThat(charged("others")).isZero();
    assertThat(charged("b")).isEqualTo(4);
  }

  @Test
  void record_of_a_queue_that_does_not_exist_is_ignored() {
    declared();
    runs(0, "!");
    synced();
    assertThat(charged("b")).isEqualTo(4);
  }

  @Test
  void record_of_a_pod_without_node_is_ignored() {
    declared();
    runs(0, "b");
    scene.reports(GANG.member(1, ""), MemberReport.NONE.charging(Optional.of("a")));
    synced();
    assertThat(charged("a")).isZero();
  }

  @Test
  void record_that_changes_while_the_gang_runs_is_ignored() {
    declared();
    runs(0, "b");
    synced();
    runs(0, "a");
    assertThat(charged("b")).isEqualTo(4);
  }

  @Test
  void next_run_is_in_the_queue_that_the_object_names() {
    declared();
    runs(0, "a");
    synced();
    scene.then(new Event.MemberGone(scene.now(), GANG.id(), GANG.member(0, "").id()));
    scene.becomes(GANG.member(1, ""), new MemberState.Bound(new NodeId("n1"), scene.now()));
    assertThat(charged("b")).isEqualTo(4);
    assertThat(charged("a")).isZero();
  }
}

package dev.muster.server.kube.act;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.server.kube.act.UnrecordedAccounts.Account;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Pods must record their queue if the object of their running gang does not name it any more.
class UnrecordedAccountsTest {
  private static final GangDraft GANG = gang("g").of(2, 4).queue("a");
  private static final Duration LEAVING = Duration.ofSeconds(30);

  private final Scene scene = Scene.of("b/r: n1[........]").arrives(GANG);
  private final UnrecordedAccounts accounts = new UnrecordedAccounts();

  private List<Account> due() {
    return accounts.due(scene.cluster());
  }

  private List<Account> dueAfter(Duration time) {
    due();
    scene.after(time);
    return due();
  }

  private Account all() {
    return new Account(GANG.id(), "a", scene.gang("g").members().keys());
  }

  private void names(String queue) {
    scene.then(new Event.GangSeen(scene.now(), gang("g").of(2, 4).queue(queue).spec()));
  }

  private void deleted() {
    scene.then(new Event.GangGone(scene.now(), GANG.id()));
  }

  private void records(Member member, String queue) {
    scene.reports(member, MemberReport.NONE.charging(Optional.of(queue)));
  }

  @Test
  void gang_whose_object_names_its_queue_records_nothing() {
    assertThat(dueAfter(LEAVING)).isEmpty();
  }

  @Test
  void gang_whose_object_changes_otherwise_records_nothing() {
    scene.then(new Event.GangSeen(scene.now(), GANG.priority(1).spec()));
    assertThat(dueAfter(LEAVING)).isEmpty();
  }

  @Test
  void gang_whose_object_changes_its_queue_back_and_forth_records_it_all_the_same() {
    for (int second = 0; second < 32; second += 2) {
      names(second % 4 == 0 ? "zzz" : "a");
      if (due().contains(all())) {
        scene.gang("g").bound().forEach(member -> records(member, "a"));
      }
      scene.after(Duration.ofSeconds(2));
    }
    assertThat(scene.gang("g").bound())
        .allMatch(member -> member.report().chargedQueue().equals(Optional.of("a")));
  }

  @Test
  void pods_record_their_queue_when_the_object_names_another_one() {
    names("b");
    assertThat(dueAfter(LEAVING)).containsExactly(all());
  }

  @Test
  void pods_record_their_queue_when_the_object_is_gone() {
    deleted();
    assertThat(dueAfter(LEAVING)).containsExactly(all());
  }

  @Test
  void pods_that_leave_with_the_object_record_nothing() {
    deleted();
    due();
    GANG.members()
        .forEach(pod -> scene.then(new Event.MemberGone(scene.now(), GANG.id(), pod.id())));
    assertThat(dueAfter(LEAVING)).isEmpty();
  }

  @Test
  void waiting_gang_records_nothing() {
    Scene full = Scene.of("b/r: n1[####]").arrives(GANG);
    full.then(new Event.GangSeen(full.now(), gang("g").of(2, 4).queue("b").spec()));
    accounts.due(full.cluster());
    assertThat(accounts.due(full.after(LEAVING).cluster())).isEmpty();
  }

  @Test
  void waiting_member_of_a_running_gang_records_nothing() {
    Member waits = gang("g").of(3, 4).member(2, "");
    scene.then(new Event.MemberSeen(scene.now(), waits));
    names("b");
    assertThat(dueAfter(LEAVING).getFirst().pods()).hasSize(2).doesNotContain(waits.id());
  }

  @Test
  void pods_that_record_it_are_left_out() {
    names("b");
    List<Member> bound = scene.gang("g").bound();
    records(bound.getFirst(), "a");
    assertThat(dueAfter(LEAVING))
        .containsExactly(new Account(GANG.id(), "a", List.of(bound.getLast().id())));
  }

  @Test
  void forged_record_is_replaced() {
    names("b");
    scene.gang("g").bound().forEach(member -> records(member, "b"));
    assertThat(dueAfter(LEAVING)).containsExactly(all());
  }

  @Test
  void record_that_is_not_seen_is_requested_again_after_a_minute() {
    names("b");
    dueAfter(LEAVING);
    assertThat(dueAfter(Duration.ofSeconds(59))).isEmpty();
    assertThat(dueAfter(Duration.ofSeconds(1))).containsExactly(all());
  }

  @Test
  void nothing_is_due_once_all_pods_record_it() {
    names("b");
    dueAfter(LEAVING);
    scene.gang("g").bound().forEach(member -> records(member, "a"));
    assertThat(dueAfter(Duration.ofMinutes(2))).isEmpty();
  }

  @Test
  void gang_that_no_queue_accepts_records_nothing() {
    Queue taken = Queue.of("a").taking(List.of("nlp"));
    Queue own = Queue.of("ml").taking(List.of("nlp"));
    Policies policies =
        Policies.of(
            Queues.of(List.of(taken, own)), Policies.DEFAULT.bindTimeout(), Optional.empty());
    Scene nowhere = Scene.of("b/r: n1[........]", policies).arrives(GANG);
    nowhere.becomes(GANG.member(0, ""), new MemberState.Bound(new NodeId("n1"), nowhere.now()));
    nowhere.then(new Event.GangGone(nowhere.now(), GANG.id()));
    accounts.due(nowhere.cluster());
    assertThat(accounts.due(nowhere.after(LEAVING).cluster())).isEmpty();
  }
}

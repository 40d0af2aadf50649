package dev.muster.core.cluster;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.muster.core.budget.QueueNamespaces;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.Scene;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A gang may have thousands of ended members. They do not make its events expensive.
class OldMembersTest {
  private static final GangId GANG = new GangId("ml", GangId.Origin.POD_GROUP, "g");
  private static final Member ONE = gang("g").of(1, 1).members().getFirst();

  private static Member old(int rank, int priority) {
    return new Member(
        new MemberId("ml", "old-%05d".formatted(rank), "u" + rank),
        GANG,
        rank,
        priority,
        ONE.request(),
        ONE.wishes(),
        new MemberState.Ended(false),
        Scene.START);
  }

  private static Gang with(Gang gang, List<Member> members) {
    Gang all = gang;
    for (Member member : members) {
      all = all.with(member);
    }
    return all;
  }

  private static List<Member> old(int count) {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(old(i, i));
    }
    return all;
  }

  private static long allocated(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /// Each one is the first by rank, and the only one of the lowest priority.
  private static long bytesToRemove(int count) {
    List<Member> members = old(count);
    Gang whole = with(Gang.unseen(GANG), members);
    return allocated(() -> {
      Gang rest = whole;
      for (Member member : members) {
        rest = rest.without(member.id());
      }
      assertThat(rest.members().isEmpty()).isTrue();
    });
  }

  @Test
  void memory_to_remove_the_first_member_does_not_grow_with_the_others() {
    bytesToRemove(100);
    long few = bytesToRemove(500);
    long many = bytesToRemove(5_000);

    assertThat(many).isLessThan(20 * few);
  }

  @Test
  void first_rank_and_lowest_priority_are_known_after_each_removal() {
    List<Member> members = old(20);
    Gang rest = with(Gang.unseen(GANG), members);
    for (int i = 0; i < 19; i++) {
      rest = rest.without(members.get(i).id());
      assertThat(rest.memberCounts().first()).contains(members.get(i + 1));
      assertThat(rest.priority()).isEqualTo(i + 1);
    }
  }

  /// The members themselves say nothing of a node, so only the counts can have been read.
  @Test
  void end_of_a_run_is_read_from_the_counts() {
    Member leaving = ONE.as(new MemberState.Leaving(Optional.of(new NodeId("n1"))));
    Gang ended =
        with(Gang.unseen(GANG), old(3))
            .with(Optional.of(gang("g").of(1, 1).spec()), false, QueueNamespaces.ALL);
    Gang stopping = ended.with(leaving);
    Gang counted =
        new Gang(
            GANG,
            ended.spec(),
            ended.members(),
            stopping.memberCounts(),
            ended.account(),
            GangPast.NONE,
            Optional.empty());

    assertThat(PastRun.noted(ended).past().end()).contains(new GangPast.RunEnd(0, 3));
    assertThat(PastRun.noted(counted).past().end()).isEmpty();
  }

  @Test
  void members_are_listed_by_their_state() {
    Member bound = old(7, 0).as(new MemberState.Bound(new NodeId("n1"), Scene.START));
    Member leaving = old(8, 0).as(new MemberState.Leaving(Optional.of(new NodeId("n1"))));
    Gang gang = with(Gang.unseen(GANG), old(7)).with(ONE).with(bound).with(leaving);

    assertThat(gang.waiting()).containsExactly(ONE);
    assertThat(gang.bound()).containsExactly(bound);
    assertThat(gang.active()).containsExactlyInAnyOrder(ONE, bound, leaving);
    assertThat(gang.present()).containsExactlyInAnyOrder(ONE, bound);
  }
}

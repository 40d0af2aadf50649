package dev.muster.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Enumerates every gang of up to two members in every state, and every fact that can change it.
class GangPhaseTest {
  private static final NodeId NODE = new NodeId("n1");
  private static final GangDraft DRAFT = GangDraft.gang("a").of(2, 1);

  /// Every state a pod can be in; absent first.
  private static final List<Optional<MemberState>> STATES =
      List.of(
          Optional.empty(),
          Optional.of(new MemberState.Held(false)),
          Optional.of(new MemberState.Held(true)),
          Optional.of(new MemberState.Waiting(Optional.empty(), false)),
          Optional.of(new MemberState.Bound(NODE, Instant.EPOCH)),
          Optional.of(new MemberState.Leaving(Optional.of(NODE))),
          Optional.of(new MemberState.Ended(true)),
          Optional.of(new MemberState.Ended(false)));

  private record Facts(boolean declared, int first, int second) {
    Gang gang() {
      SortedTable<MemberId, Member> members = SortedTable.empty();
      for (Member member :
          List.of(at(0, first), at(1, second)).stream().flatMap(Optional::stream).toList()) {
        members = members.with(member.id(), member);
      }
      return new Gang(DRAFT.id(), declared ? Optional.of(DRAFT.spec()) : Optional.empty(), members);
    }

    private static Optional<Member> at(int rank, int state) {
      return STATES.get(state).map(DRAFT.member(rank, "")::as);
    }

    /// All facts that differ from these in one thing.
    List<Facts> neighbours() {
      List<Facts> neighbours = new ArrayList<>(List.of(new Facts(!declared, first, second)));
      for (int state = 0; state < STATES.size(); state++) {
        neighbours.add(new Facts(declared, state, second));
        neighbours.add(new Facts(declared, first, state));
      }
      return neighbours;
    }
  }

  private static List<Facts> all() {
    List<Facts> all = new ArrayList<>();
    for (int first = 0; first < STATES.size(); first++) {
      for (int second = 0; second < STATES.size(); second++) {
        all.add(new Facts(true, first, second));
        all.add(new Facts(false, first, second));
      }
    }
    return all;
  }

  /// Returns the transitions after every change of the facts, the end of a reservation, and a new
  /// reservation. Reservations are made for gangs that wait whole or run.
  private static Map<GangPhase, Set<GangPhase>> seen() {
    Map<GangPhase, Set<GangPhase>> moves = new EnumMap<>(GangPhase.class);
    for (Facts facts : all()) {
      for (Facts next : facts.neighbours()) {
        note(moves, facts.gang().phase(false), next.gang().phase(false));
      }
      note(moves, facts.gang().phase(true), facts.gang().phase(false));
      if (facts.gang().isComplete() && facts.gang().members().any(Member::wantsNode)) {
        note(moves, facts.gang().phase(false), facts.gang().phase(true));
      }
    }
    return moves;
  }

  private static void note(Map<GangPhase, Set<GangPhase>> moves, GangPhase from, GangPhase to) {
    if (from != to) {
      moves.computeIfAbsent(from, _ -> EnumSet.noneOf(GangPhase.class)).add(to);
    }
  }

  @Test
  void only_legal_transitions_happen_and_each_can_happen() {
    Map<GangPhase, Set<GangPhase>> legal = new EnumMap<>(GangPhase.class);
    for (GangPhase phase : GangPhase.values()) {
      legal.put(phase, phase.next());
    }
    assertThat(seen()).isEqualTo(legal);
  }

  @Test
  void reservation_is_made_only_for_a_whole_waiting_or_running_gang() {
    for (GangPhase phase : GangPhase.values()) {
      assertThat(phase.next().contains(GangPhase.RESERVED))
          .as("%s to RESERVED", phase)
          .isEqualTo(phase == GangPhase.PENDING || phase == GangPhase.BOUND);
    }
  }

  @Test
  void gang_without_its_object_is_gathering() {
    assertThat(new Facts(false, 1, 1).gang().phase(false)).isEqualTo(GangPhase.GATHERING);
  }

  @Test
  void one_running_member_keeps_the_gang_bound_while_others_end() {
    assertThat(new Facts(true, 4, 6).gang().phase(false)).isEqualTo(GangPhase.BOUND);
  }
}

package dev.muster.server.http.page;

import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.decision.Explanation;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.state.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The answer to "does it run?" in one word.
enum GangOutlook {
  /// Its members run.
  RUNS("Runs"),
  /// All members that start have a promise, and are being bound.
  STARTS("Starts"),
  /// It waits for members, capacity, quota or time.
  WAITS("Waits"),
  /// It does not start with this specification on these nodes.
  NEVER("Never"),
  /// No member runs or waits any more.
  ENDED("Ended");

  private final String word;

  GangOutlook(String word) {
    this.word = word;
  }

  String word() {
    return word;
  }

  static GangOutlook of(State state, Gang gang) {
    return switch (state.cluster().phase(gang.id())) {
      case GATHERING, PENDING -> isHopeless(state, gang) ? NEVER : WAITS;
      case RESERVED -> STARTS;
      case BOUND -> RUNS;
      case LEAVING, GONE -> ENDED;
    };
  }

  private static boolean isHopeless(State state, Gang gang) {
    return state
        .why(gang.id())
        .flatMap(Explanation::main)
        .map(Veto::remedy)
        .filter(Remedy.NEVER::equals)
        .isPresent();
  }

  /// True if the gang waits and no member of it has a place yet.
  static boolean waitsAsWhole(State state, Gang gang) {
    GangPhase phase = state.cluster().phase(gang.id());
    return phase == GangPhase.GATHERING || phase == GangPhase.PENDING;
  }

  /// Returns the time at which the last member that the gang needed was bound.
  static Optional<Instant> startedAt(Gang gang) {
    List<Instant> bound = new ArrayList<>();
    for (Member member : gang.members()) {
      if (member.state() instanceof MemberState.Bound(_, Instant since)) {
        bound.add(since);
      }
    }
    int needed = Math.max(1, gang.wholeCount() - gang.succeededCount());
    bound.sort(null);
    return needed <= bound.size() ? Optional.of(bound.get(needed - 1)) : Optional.empty();
  }
}

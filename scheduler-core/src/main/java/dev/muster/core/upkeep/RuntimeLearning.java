package dev.muster.core.upkeep;

import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.state.State;
import java.time.Duration;
import java.time.Instant;

/// Runtime learning records the runtime of a gang when its last member has ended.
///
/// Preempted gangs are left out: they did not end by themselves. So are gangs without GPUs.
public final class RuntimeLearning {
  private RuntimeLearning() {}

  /// Records the runtime of the event's gang if it has ended.
  public static Cycle run(Cycle cycle) {
    return cycle.event() instanceof Event.OfGang said
        ? cycle.with(learnt(said, cycle.before().cluster().gang(said.gang()), cycle.state()))
        : cycle;
  }

  private static State learnt(Event.OfGang said, Gang was, State state) {
    boolean ended = was.boundCount() > 0 && state.cluster().gang(was.id()).boundCount() == 0;
    if (!ended || !usesGpus(was) || state.preemptions().stopOf(was.id()).isPresent()) {
      return state;
    }
    Instant now = state.cluster().now();
    Duration took = Duration.between(RuntimeHistory.began(was).orElse(now), now);
    String lineage = was.spec().map(GangSpec::lineage).orElse("");
    lineage = !lineage.isEmpty() && isSuccess(said, was) ? lineage : "";
    String namespace = was.id().namespace();
    return state.with(state.history().with(namespace, took).with(namespace, lineage, took, now));
  }

  /// True if a bound member uses GPUs. Plans are about GPUs, so other gangs say nothing for them.
  private static boolean usesGpus(Gang was) {
    return was.bound().stream().anyMatch(pod -> pod.request().wantsGpu());
  }

  /// True if all members that were still bound have succeeded.
  private static boolean isSuccess(Event.OfGang said, Gang was) {
    int succeeded = 0;
    for (Event.GangFact fact : said.facts()) {
      if (fact instanceof Event.MemberSeen(_, Member pod) && pod.hasSucceeded()) {
        succeeded += was.members().contains(pod.id(), Member::isBound) ? 1 : 0;
      }
    }
    return succeeded >= was.boundCount();
  }
}

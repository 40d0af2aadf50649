package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.GangPhase;
import dev.muster.core.collect.FairMemory;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Step;
import dev.muster.server.http.access.PageView;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The last transitions of each gang, with time and reason, since this process began.
///
/// What happened before all objects had been seen is not known. A gang that waits on for the same
/// reason makes no new transition, however often it is tried. Beyond a number of gangs, the
/// namespace with the most of them forgets the one whose last transition is the oldest
/// ([FairMemory]).
///
/// Threads: [#note] is called by the engine's thread only, other methods by any.
public final class GangTransitions {
  /// Transitions that are kept of a gang.
  static final int EACH = 20;

  /// Gangs of which transitions are kept.
  static final int MOST_GANGS = 20_000;

  private final Map<GangId, Deque<Transition>> gangs = new HashMap<>();
  private FairMemory<GangId> memory = FairMemory.empty(); // by namespace and last transition
  private SortedTable<GangId, Gang> before = SortedTable.empty();
  private SortedTable<GangId, GangPhase> phases = SortedTable.empty();
  private boolean synced;

  /// A change of a gang's state.
  ///
  /// @param state word for the state that it has from now on
  /// @param why the reason, if there is one
  /// @param other the other gang of a preemption
  /// @param number gangs that are preempted for it
  private record Transition(
      Instant at, String state, Optional<Veto> why, Optional<GangId> other, int number) {
    Transition(Instant at, String state, Explanation why) {
      this(at, state, why.main(), Optional.empty(), 0);
    }

    /// True if nothing but the time, or numbers of the reason, differs.
    boolean repeats(Transition last) {
      return state.equals(last.state)
          && why.map(ReasonText::token).equals(last.why.map(ReasonText::token))
          && other.equals(last.other)
          && number == last.number;
    }

    void addTo(ObjectNode json, GangId gang, PageView view) {
      json.put("at", at.toString()).put("state", state);
      why.ifPresent(veto ->
          json.put("reason", ReasonText.token(veto))
              .put("message", ReasonText.sentence(veto, gang, view::sees)));
      other.ifPresent(
          by -> json.put("message", "For %s.".formatted(view.sees(by) ? by : "another gang")));
      if (number > 0) {
        json.put("message", number == 1 ? "1 gang." : number + " gangs.");
      }
    }
  }

  /// Records what a step has decided and seen.
  public synchronized void note(Step step) {
    Cluster cluster = step.after().cluster();
    Instant now = cluster.now();
    for (SortedTable.Difference<GangId, Gang> change : cluster.gangs().differences(before)) {
      GangPhase phase = cluster.phase(change.key());
      Optional<GangPhase> last = phases.get(change.key());
      if (synced
          && !last.equals(Optional.of(phase))) { // else it happened before this process began
        seen(phase, now).ifPresent(transition -> add(change.key(), transition));
      }
      phases =
          change.now().isPresent()
              ? phases.with(change.key(), phase)
              : phases.without(change.key());
    }
    before = cluster.gangs();
    for (Decision decision : step.decisions()) {
      note(decision, now);
    }
    synced = cluster.synced();
  }

  private void note(Decision decision, Instant now) {
    GangId gang = decision.gang();
    switch (decision) {
      case Decision.Admit admit -> add(gang, new Transition(now, "Reserved", admit.why()));
      case Decision.Wait wait -> add(gang, new Transition(now, "Waits", wait.why()));
      case Decision.Reject reject -> add(gang, new Transition(now, "Refused", reject.why()));
      case Decision.Plan plan -> add(gang, new Transition(now, "Planned", plan.why()));
      case Decision.Release release -> add(gang, new Transition(now, "Released", release.why()));
      case Decision.Preempt preempt -> {
        if (preempt.enforced()) {
          int number = preempt.victims().size();
          add(gang, new Transition(now, "Preempts", Optional.empty(), Optional.empty(), number));
          for (Victim victim : preempt.victims()) {
            add(
                victim.gang(),
                new Transition(now, "Preempted", Optional.empty(), Optional.of(gang), 0));
          }
        }
      }
    }
  }

  /// Returns the transition to a phase that no decision tells of.
  private static Optional<Transition> seen(GangPhase phase, Instant now) {
    String word =
        switch (phase) {
          case PENDING -> "Queued";
          case BOUND -> "Started";
          case LEAVING, GONE -> "Ended";
          case GATHERING, RESERVED -> "";
        };
    return word.isEmpty()
        ? Optional.empty()
        : Optional.of(new Transition(now, word, Optional.empty(), Optional.empty(), 0));
  }

  private void add(GangId gang, Transition transition) {
    Deque<Transition> kept = gangs.get(gang);
    if (kept != null && transition.repeats(kept.getLast())) {
      return;
    }
    if (kept != null) {
      memory = memory.without(gang.namespace(), kept.getLast().at(), gang);
    } else if (gangs.size() >= MOST_GANGS) {
      memory.displacedBy(gang.namespace()).ifPresent(this::forget);
    }
    Deque<Transition> more = kept == null ? new ArrayDeque<>() : kept;
    more.addLast(transition);
    if (more.size() > EACH) {
      more.removeFirst();
    }
    gangs.put(gang, more);
    memory = memory.with(gang.namespace(), transition.at(), gang);
  }

  private void forget(GangId gang) {
    Deque<Transition> kept = gangs.remove(gang);
    if (kept != null) {
      memory = memory.without(gang.namespace(), kept.getLast().at(), gang);
    }
  }

  private synchronized List<Transition> of(GangId gang) {
    Deque<Transition> kept = gangs.get(gang);
    return kept == null ? List.of() : List.copyOf(kept);
  }

  /// Adds the transitions of a gang, oldest first. Gangs that the caller may not see are not named.
  public void addTo(ObjectNode json, GangId gang, PageView view) {
    json.putArray("transitions");
    of(gang)
        .forEach(
            transition -> transition.addTo(json.withArray("transitions").addObject(), gang, view));
  }
}

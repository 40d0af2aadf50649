package dev.muster.simulator.live;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalEntry;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.policy.journal.JournalReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The history of a live cluster's gangs: submission, start and end of each.
///
/// It is reconstructed from the events that the scheduler received.
public final class JobHistory {
  private final Map<GangId, GangHistory> lives = new HashMap<>();
  private final List<GangHistory> all = new ArrayList<>();
  private final BindTimes bindTimes = new BindTimes();
  private Optional<Set<MemberId>> listed = Optional.empty();
  private Instant last = Instant.EPOCH;

  /// Records all runs of a journal, in order.
  ///
  /// @param wanted returns the part of an event to record, if any
  /// @throws IOException if the journal cannot be read or understood
  public void note(JournalReader journal, Function<Event, Optional<Event>> wanted)
      throws IOException {
    for (Optional<JournalEntry> e = journal.next(); e.isPresent(); e = journal.next()) {
      note(e.get(), wanted);
    }
  }

  /// Records one line of a journal.
  void note(JournalEntry entry, Function<Event, Optional<Event>> wanted) throws IOException {
    switch (entry) {
      case JournalHeader _ -> relist();
      case JournalEntry.Continuation
              _ -> {} // the missing lines are unknown; the others still count
      case JournalEntry.Image image ->
          image
              .state()
              .ifPresent(state -> {
                relist();
                for (Event fact : ClusterSnapshot.facts(state.cluster())) {
                  wanted.apply(fact).ifPresent(this::note);
                }
                note(new Event.Synced(state.cluster().now()));
              });
      case JournalEntry.Turn turn -> {
        bindTimes.note(turn);
        wanted.apply(turn.event()).ifPresent(this::note);
      }
    }
  }

  /// Starts a new listing of all objects, which ends with `Synced`; pods that it lacks are gone.
  public void relist() {
    listed = Optional.of(new HashSet<>());
  }

  /// Records an event.
  public void note(Event event) {
    last = event.at().isAfter(last) ? event.at() : last;
    switch (event) {
      case Event.GangChanged(_, _, var facts) -> facts.forEach(this::note);
      case Event.GangSeen(Instant at, GangSpec spec) -> declared(spec, at);
      case Event.MemberSeen seen -> {
        listed.ifPresent(pods -> pods.add(seen.member().id()));
        life(seen.member().gang(), seen.at()).seen(seen);
      }
      case Event.MemberGone(Instant at, GangId gang, MemberId pod) ->
          Optional.ofNullable(lives.get(gang)).ifPresent(history -> history.gone(pod, at));
      case Event.Synced(Instant at) -> {
        listed.ifPresent(pods -> all.forEach(history -> history.relisted(pods, at)));
        listed = Optional.empty();
      }
      case Event.GangGone _,
          Event.DiscrepanciesSeen _,
          Event.NodeSeen _,
          Event.NodeGone _,
          Event.UnmanagedPodSeen _,
          Event.UnmanagedPodGone _,
          Event.Tick _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Outcome _ -> {}
    }
  }

  private void declared(GangSpec spec, Instant at) {
    GangHistory old = lives.get(spec.id());
    if (old != null && old.isBefore(spec)) {
      lives.put(spec.id(), begun(spec.id(), at));
    }
    life(spec.id(), at).declared(spec);
  }

  private GangHistory life(GangId id, Instant at) {
    return lives.computeIfAbsent(id, _ -> begun(id, at));
  }

  private GangHistory begun(GangId id, Instant at) {
    GangHistory history = new GangHistory(id, at);
    all.add(history);
    return history;
  }

  /// Returns the median time from the decision to start a gang until all its pods were bound.
  ///
  /// It is absent without a journal.
  Optional<Duration> latency() {
    return bindTimes.median();
  }

  /// The time of the newest event.
  Instant last() {
    return last;
  }

  /// Returns all gangs, in the order of their first events.
  List<GangHistory> lives() {
    return List.copyOf(all);
  }
}

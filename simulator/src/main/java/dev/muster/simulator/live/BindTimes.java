package dev.muster.simulator.live;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.policy.journal.JournalEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Measures the times from gang admission to the binding of the last pod, from a journal.
final class BindTimes {
  private final Map<GangId, Start> starting = new HashMap<>();
  private final List<Duration> times = new ArrayList<>();

  /// An admitted gang.
  ///
  /// @param decided time of the decision
  /// @param pods number of its pods that are not bound yet
  private record Start(Instant decided, int pods) {}

  void note(JournalEntry.Turn turn) {
    for (JsonNode decision : turn.decisions()) {
      if (decision.path("type").asText().equals("Admit")) {
        int pods = decision.at("/placement/assignments").size();
        starting.put(gang(decision.path("gang")), new Start(turn.event().at(), pods));
      }
    }
    if (turn.event() instanceof Event.OfGang said) {
      said.facts().forEach(this::note);
    }
  }

  private void note(Event.GangFact fact) {
    if (fact instanceof Event.MemberSeen(Instant at, var member) && member.isBound()) {
      starting.computeIfPresent(member.gang(), (_, start) -> bound(start, at));
    }
  }

  private Start bound(Start start, Instant at) {
    if (start.pods() == 1) {
      times.add(Duration.ofMillis(Duration.between(start.decided(), at).toMillis()));
    }
    return new Start(start.decided(), start.pods() - 1);
  }

  private static GangId gang(JsonNode id) {
    return new GangId(
        id.path("namespace").asText(),
        GangId.Origin.valueOf(id.path("origin").asText()),
        id.path("name").asText());
  }

  /// Returns the median; absent when no gang started.
  Optional<Duration> median() {
    return times.stream().sorted().skip(times.size() / 2).findFirst();
  }
}

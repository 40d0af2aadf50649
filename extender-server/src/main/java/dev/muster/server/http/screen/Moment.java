package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Something that happened to a gang, or will.
///
/// @param clock time of the day, with the date if it is far
record Moment(Instant at, String clock, String text) {
  /// Returns what the answers know of a gang, oldest first.
  ///
  /// @param preemptions answer about the preemptions
  static List<Moment> history(JsonNode gang, JsonNode preemptions) {
    List<Moment> moments = new ArrayList<>();
    String id = HumanText.id(gang);
    for (JsonNode act : preemptions.path("ledger")) {
      text(act, id).ifPresent(text -> add(moments, gang, act.path("at"), text));
    }
    boolean hasActs = !moments.isEmpty();
    Set<String> known = new HashSet<>();
    for (JsonNode transition : gang.path("transitions")) {
      String state = transition.path("state").asText();
      known.add(state);
      if (!hasActs || !state.startsWith("Preempt")) { // else the ledger says more
        add(moments, gang, transition.path("at"), HumanText.transition(transition));
      }
    }
    add(moments, gang, gang.at("/rank/createdAt"), "Its object was created.");
    if (!known.contains("Queued")) {
      add(moments, gang, gang.at("/rank/eligibleAt"), "It had enough members.");
    }
    if (!known.contains("Reserved")) {
      add(moments, gang, gang.at("/reservation/since"), "Its nodes were promised.");
    }
    if (!known.contains("Started")) {
      add(moments, gang, gang.path("startedAt"), "It started.");
    }
    add(moments, gang, gang.at("/planned/start"), "Planned start.");
    add(moments, gang, gang.path("releaseAt"), "It is released if lost members find no place.");
    moments.sort(Comparator.comparing(Moment::at));
    return moments;
  }

  private static Optional<String> text(JsonNode act, String id) {
    String other = act.path("gang").asText("another gang");
    boolean decided = act.path("act").asText().equals("decided");
    boolean enforced = act.path("enforced").asBoolean(true);
    for (JsonNode victim : act.path("victims")) {
      if (decided && victim.path("gang").asText().equals(id)) {
        return Optional.of(
            "%s stopped for %s by the rule %s."
                .formatted(
                    enforced ? "Chosen to be" : "Would be", other, victim.path("rule").asText()));
      }
    }
    if (!other.equals(id)) {
      return Optional.empty();
    }
    return Optional.of(
        switch (act.path("act").asText()) {
          case "decided" ->
              "%s %s."
                  .formatted(
                      enforced ? "It preempts" : "It would preempt",
                      HumanText.count(victims(act), "gang"));
          case "evicted" -> "Pods of it were evicted.";
          case "spared" -> "It was spared.";
          default -> "Act: " + act.path("act").asText() + ".";
        });
  }

  private static int victims(JsonNode act) {
    return act.path("victims").size() + act.at("/otherVictims/gangs").asInt();
  }

  private static void add(List<Moment> moments, JsonNode gang, JsonNode at, String text) {
    HumanText.instant(at)
        .ifPresent(time -> moments.add(new Moment(time, HumanText.clock(at, gang), text)));
  }
}

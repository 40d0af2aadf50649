package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;

/// The server itself: does it decide, and by which policy?
///
/// @param headline the answer in one sentence
/// @param healthy true if it decides and its policy files are valid
/// @param problems problems of the policy files
record ServerScreen(String headline, boolean healthy, List<Fact> facts, List<String> problems) {
  /// Returns the screen.
  ///
  /// @param server answer about the server
  /// @param readiness answer about its readiness
  static ServerScreen of(JsonNode server, JsonNode readiness) {
    List<String> problems = HumanText.texts(readiness.at("/policy/problems"));
    boolean ready = server.path("ready").asBoolean();
    boolean leading = server.path("leading").asBoolean();
    String state =
        ready
            ? "Muster decides"
            : leading
                ? "Muster does not decide yet"
                : "This replica stands by, another one decides";
    JsonNode counts = server.path("counts");
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("Release", HumanText.text(server.path("release"))));
    facts.add(new Fact("Leads", leading ? "yes" : "no"));
    facts.add(new Fact("Has seen all objects", word(readiness.path("synced"))));
    facts.add(new Fact("Preemption policy", HumanText.text(server.at("/policy/revision"))));
    if (readiness.has("policy")) {
      facts.add(
          new Fact(
              "Policy in force since", HumanText.clock(readiness.at("/policy/loadedAt"), server)));
      facts.add(
          new Fact(
              "Policy files read", HumanText.clock(readiness.at("/policy/checkedAt"), server)));
    }
    facts.add(new Fact("Nodes", counts.path("nodes").asText()));
    facts.add(new Fact("Gangs", counts.path("gangs").asText()));
    facts.add(new Fact("Waiting gangs", counts.path("waiting").asText()));
    facts.add(new Fact("Events so far", server.path("version").asText()));
    return new ServerScreen(
        "%s. %s."
            .formatted(
                state,
                problems.isEmpty()
                    ? "No policy file has a problem"
                    : HumanText.count(problems.size(), "problem") + " in its policy files"),
        ready && problems.isEmpty(),
        facts,
        problems);
  }

  private static String word(JsonNode flag) {
    return flag.asBoolean() ? "yes" : "no";
  }
}

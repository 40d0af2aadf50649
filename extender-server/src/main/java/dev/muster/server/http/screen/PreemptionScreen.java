package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;

/// The preemptions: who was stopped for whom, by which rule, and what was lost?
///
/// @param headline the answer in one sentence
/// @param underWay victims of preemptions under way
/// @param acts last acts, newest first
record PreemptionScreen(String headline, List<Row> underWay, List<Row> acts) {
  private static final String NOTHING = "-";
  private static final int MOST = 200;

  /// A victim of a preemption, or an act about a gang.
  ///
  /// @param victim the gang that stops
  /// @param preemptor the gang for which it stops
  record Row(
      String at,
      String act,
      Name victim,
      Name preemptor,
      String pods,
      String rule,
      String gpuHours,
      String why) {}

  /// A gang; without an address if the caller may not see it.
  record Name(String text, String href) {
    static Name of(JsonNode gang, String base) {
      String text = gang.asText();
      return gang.isTextual() && text.indexOf('/') > 0
          ? new Name(text, ScreenUrl.gang(base, text))
          : new Name("a gang of others", "");
    }
  }

  static PreemptionScreen of(JsonNode answer, String base) {
    List<Row> underWay = new ArrayList<>();
    for (JsonNode preemption : answer.path("items")) {
      underWay(underWay, answer, preemption, base);
    }
    List<Row> acts = new ArrayList<>();
    for (JsonNode act : answer.path("ledger")) {
      if (acts.size() < MOST) {
        act(acts, answer, act, base);
      }
    }
    return new PreemptionScreen(
        "%s under way, %s remembered."
            .formatted(
                HumanText.count(
                    answer.path("items").size() + answer.at("/others/preemptions").asInt(),
                    "preemption"),
                HumanText.count(
                    answer.path("ledger").size() + answer.at("/others/acts").asInt(), "act")),
        underWay,
        acts);
  }

  private static void underWay(List<Row> rows, JsonNode answer, JsonNode preemption, String base) {
    String state =
        preemption.path("calledOff").asBoolean()
            ? "called off"
            : preemption.path("evicting").asBoolean() ? "evicting" : "chosen";
    for (JsonNode victim : preemption.path("victims")) {
      boolean told = victim.path("told").asBoolean();
      rows.add(
          row(
              HumanText.clock(victim.path("deadline"), answer),
              told ? state + ", told" : state,
              victim,
              preemption,
              "",
              base));
    }
    others(rows, NOTHING, state, preemption, "", base);
  }

  private static void act(List<Row> rows, JsonNode answer, JsonNode act, String base) {
    String at = HumanText.clock(act.path("at"), answer);
    String what = act.path("act").asText();
    if (what.equals("decided")) {
      String decided = act.path("enforced").asBoolean(true) ? what : "shadow";
      for (JsonNode victim : act.path("victims")) {
        rows.add(row(at, decided, victim, act, act.path("reason").asText(), base));
      }
      others(rows, at, decided, act, act.path("reason").asText(), base);
    } else {
      rows.add(
          new Row(
              at,
              what,
              Name.of(act.path("gang"), base),
              what.equals("spared") ? Name.of(act.path("by"), base) : new Name(NOTHING, ""),
              HumanText.text(act.path("pods")),
              NOTHING,
              NOTHING,
              act.path("why").asText()));
    }
  }

  /// Adds the victims that the caller may not see.
  private static void others(
      List<Row> rows, String at, String what, JsonNode act, String why, String base) {
    if (act.at("/otherVictims/gangs").asInt() > 0) {
      rows.add(
          new Row(
              at,
              what,
              Name.of(MissingNode.getInstance(), base),
              Name.of(act.path("gang"), base),
              act.at("/otherVictims/pods").asText(),
              NOTHING,
              NOTHING,
              why));
    }
  }

  private static Row row(
      String at, String what, JsonNode victim, JsonNode act, String why, String base) {
    return new Row(
        at,
        what,
        Name.of(victim.path("gang"), base),
        Name.of(act.path("gang"), base),
        victim.path("pods").asText(),
        HumanText.text(victim.path("rule")),
        victim.has("lostGpuSeconds")
            ? HumanText.gpuHours(victim.path("lostGpuSeconds").asLong())
            : NOTHING,
        why);
  }
}

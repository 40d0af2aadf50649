package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import dev.muster.server.http.page.WhyReport;
import java.util.ArrayList;
import java.util.List;

/// One gang: what happened to it, and what would start it? The sentences are those of `muster why`.
///
/// @param headline state of the gang in one line
/// @param never true if it does not start as it is
/// @param answers sentences: the reason, places, the plan, and who stopped it
/// @param plannedNodes nodes of the planned start, with those who are on them now
/// @param sooner changes that would start it sooner
/// @param next the next step; empty if there is none
/// @param command the command that gives these answers
/// @param history what happened, oldest first
/// @param members some members
/// @param moreMembers number of other members
record GangScreen(
    String headline,
    boolean never,
    List<String> answers,
    List<String> plannedNodes,
    List<String> sooner,
    String next,
    String command,
    List<Fact> facts,
    List<Moment> history,
    List<MemberRow> members,
    int moreMembers) {
  private static final int MOST_MEMBERS = 200;

  /// A member.
  ///
  /// @param node its node, or the one that is promised to it
  record MemberRow(String name, String rank, String gpus, String state, String node, String link) {}

  static GangScreen of(WhyReport report) {
    JsonNode gang = report.gang();
    List<String> answers = new ArrayList<>();
    answers.add(report.reason());
    report.places().ifPresent(answers::add);
    report.plan().ifPresent(answers::add);
    report.stopped().ifPresent(answers::add);
    answers.addAll(report.avoided());
    List<MemberRow> members = new ArrayList<>();
    for (JsonNode member : gang.path("members")) {
      if (members.size() < MOST_MEMBERS) {
        members.add(member(member));
      }
    }
    return new GangScreen(
        report.headline().replaceAll(" {2,}", ", "),
        gang.path("verdict").asText().equals("Never"),
        answers,
        report.plannedNodes(),
        HumanText.texts(gang.path("sooner")),
        report.next().orElse(""),
        "kubectl muster why gang/%s -n %s"
            .formatted(gang.path("name").asText(), gang.path("namespace").asText()),
        facts(gang),
        Moment.history(gang, report.preemptions()),
        members,
        gang.path("members").size() - members.size());
  }

  private static List<Fact> facts(JsonNode gang) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("Queue", HumanText.text(gang.path("queue"))));
    facts.add(new Fact("User", HumanText.text(gang.path("user"))));
    facts.add(new Fact("Declared by", HumanText.text(gang.path("origin"))));
    facts.add(new Fact("Priority", gang.path("priority").asText()));
    facts.add(
        new Fact("GPUs", "%s (%s)".formatted(gang.path("gpus").asText(), HumanText.shape(gang))));
    facts.add(
        new Fact(
            "Members",
            "%s present, %s bound, %s needed"
                .formatted(
                    gang.path("present").asText(),
                    gang.path("bound").asText(),
                    gang.path("minCount").asText())));
    if (gang.has("before")) {
      facts.add(new Fact("Gangs before it", gang.path("before").asText()));
    }
    return facts;
  }

  private static MemberRow member(JsonNode member) {
    String node = member.path("node").asText();
    String promised = member.path("promised").asText();
    boolean isPromise = node.isEmpty() && !promised.isEmpty();
    return new MemberRow(
        member.path("name").asText(),
        member.path("rank").asText(),
        member.path("gpus").asText(),
        member.path("state").asText(),
        isPromise ? promised + " (promised)" : HumanText.text(member.path("node")),
        member.has("link") ? member.at("/link/mbps").asText() + " Mbit/s" : "-");
  }
}

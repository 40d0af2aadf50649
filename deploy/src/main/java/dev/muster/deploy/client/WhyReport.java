package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.core.decision.PlainText;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The answer of `muster why` as text: one sentence first, then numbers, the next step last.
///
/// @param gang page of the gang
/// @param nodes page of the nodes; missing if the caller may not list them
/// @param preemptions page of the preemptions
/// @param server page of the server
record WhyReport(JsonNode gang, JsonNode nodes, JsonNode preemptions, JsonNode server) {
  private static final int MOST_NODES = 8;
  private static final Set<String> OF_MEMBERS =
      Set.of("WaitingForMembers", "PodGroupMissing", "GatheringTimedOut", "InvalidSpecification");

  /// Reads the pages that the answer needs besides that of the gang.
  static WhyReport of(JsonNode gang, PageSource pages) {
    boolean planned = gang.has("planned");
    return new WhyReport(
        gang,
        planned ? pages.get("/api/v1/nodes") : MissingNode.getInstance(),
        pages.get("/api/v1/preemptions"),
        pages.get("/api/v1/server"));
  }

  void print(PrintWriter out) {
    out.println(PlainText.line(headline()));
    line(
        out,
        "%s: %s".formatted(gang.path("reason").asText("Unknown"), gang.path("message").asText()));
    places(out);
    plan(out);
    stopped().ifPresent(text -> line(out, text));
    HumanText.texts(gang.path("sooner")).forEach(hint -> line(out, "Sooner: " + hint));
    for (JsonNode avoided : gang.path("avoidedNodes")) {
      line(
          out,
          "Avoids %s until %s: %s"
              .formatted(
                  avoided.path("node").asText(),
                  HumanText.clock(avoided.path("until"), gang),
                  avoided.path("message").asText()));
    }
    next().ifPresent(step -> line(out, "Next: " + step));
    String policy = server.at("/policy/revision").asText();
    line(
        out,
        "Seen %s%s."
            .formatted(
                HumanText.clock(gang.path("asOf"), gang),
                policy.isEmpty() ? "" : ", policy " + policy));
  }

  private static void line(PrintWriter out, String text) {
    out.println("  " + PlainText.line(text));
  }

  private String verdict() {
    return gang.path("verdict").asText();
  }

  private boolean waits() {
    return Set.of("Waits", "Never").contains(verdict());
  }

  private String headline() {
    List<String> parts = new ArrayList<>();
    parts.add(HumanText.id(gang) + " " + state());
    if (gang.has("queue")) {
      parts.add("queue " + gang.path("queue").asText());
    }
    parts.add("priority " + gang.at("/rank/priority").asText(gang.path("priority").asText()));
    if (!gang.path("shape").isEmpty()) {
      parts.add("%s GPU (%s)".formatted(gang.path("gpus").asText(), HumanText.shape(gang)));
    }
    if (gang.has("position")) {
      parts.add(
          "%s in %s, %s of all"
              .formatted(
                  HumanText.ordinal(gang.path("positionInQueue").asInt()),
                  gang.path("queue").asText(),
                  HumanText.ordinal(gang.path("position").asInt())));
    }
    return String.join("  ", parts);
  }

  private String state() {
    JsonNode eligible = gang.at("/rank/eligibleAt");
    String waited =
        HumanText.since(eligible.isTextual() ? eligible : gang.at("/rank/createdAt"), gang);
    return switch (verdict()) {
      case "Runs" -> "runs " + HumanText.since(gang.path("startedAt"), gang);
      case "Starts" -> "is starting";
      case "Never" -> "never starts as it is, waits " + waited;
      case "Ended" -> "has ended";
      default -> "waits " + waited;
    };
  }

  /// Prints the nodes of the members that have one.
  private void places(PrintWriter out) {
    Map<String, Integer> pods = new TreeMap<>();
    for (JsonNode member : gang.path("members")) {
      String node = member.path("node").asText(member.path("promised").asText());
      if (!node.isEmpty()) {
        pods.merge(node, 1, Integer::sum);
      }
    }
    if (!pods.isEmpty()) {
      List<String> parts = new ArrayList<>();
      pods.forEach((node, number) -> parts.add("%s (%s)".formatted(node, pods(number))));
      line(out, "On %s.".formatted(shortened(parts)));
    }
  }

  private static String pods(int number) {
    return HumanText.count(number, "pod");
  }

  private static String shortened(List<String> parts) {
    return parts.size() <= MOST_NODES
        ? String.join(", ", parts)
        : "%s and %d more"
            .formatted(String.join(", ", parts.subList(0, MOST_NODES)), parts.size() - MOST_NODES);
  }

  /// Prints the planned start, with those who are on its nodes now.
  private void plan(PrintWriter out) {
    JsonNode planned = gang.path("planned");
    if (!waits() || planned.isMissingNode()) {
      return;
    }
    List<String> names = HumanText.texts(planned.path("nodes"));
    String where =
        names.isEmpty()
            ? HumanText.count(planned.path("otherNodes").asInt(), "node")
            : shortened(names);
    line(out, plan(planned) + " on " + where + ".");
    int shown = 0;
    for (JsonNode node : nodes.path("items")) {
      if (names.contains(node.path("name").asText()) && shown++ < MOST_NODES) {
        line(
            out,
            "  %s  %s/%s free  %s"
                .formatted(
                    node.path("name").asText(),
                    node.at("/gpus/free").asText(),
                    node.at("/gpus/total").asText(),
                    NodesCommand.gangs(node)));
      }
    }
  }

  private String plan(JsonNode planned) {
    Optional<Instant> start = HumanText.instant(planned.path("start"));
    if (start.isPresent()) {
      Instant now = HumanText.instant(gang.path("asOf")).orElse(start.get());
      return "Planned to start about %s (in %s)"
          .formatted(
              HumanText.clock(planned.path("start"), gang),
              HumanText.duration(Duration.between(now, start.get())));
    }
    return switch (planned.path("kind").asText()) {
      case "Vacating", "Reclaiming" -> "Other gangs are being preempted for it";
      default -> "No start is known yet; capacity that comes free is kept for it";
    };
  }

  /// Returns who stopped the gang last, if somebody did.
  private Optional<String> stopped() {
    String id = HumanText.id(gang);
    for (JsonNode act : preemptions.path("ledger")) {
      for (JsonNode victim : act.path("victims")) {
        if (act.path("enforced").asBoolean() && victim.path("gang").asText().equals(id)) {
          return Optional.of(
              "Stopped %s for %s by the rule %s; %s GPU-hours were lost."
                  .formatted(
                      HumanText.clock(act.path("at"), gang),
                      act.path("gang").asText("a gang that you may not see"),
                      victim.path("rule").asText(),
                      HumanText.gpuHours(victim.path("lostGpuSeconds").asLong())));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> next() {
    if (!waits()) {
      return Optional.empty();
    }
    if (verdict().equals("Never")) {
      return Optional.of("change the gang, or the nodes. Waiting does not help.");
    }
    if (OF_MEMBERS.contains(gang.path("reason").asText())) {
      return Optional.of("kubectl -n %s get events".formatted(gang.path("namespace").asText()));
    }
    return Optional.of(
        gang.path("sooner").isEmpty() ? "wait." : "one of the changes above, or wait.");
  }
}

package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The answer to "why does it not run?" in words: one sentence first, then numbers, the next step
/// last. `muster why` and the page of a gang show it.
///
/// @param gang answer about the gang
/// @param nodes answer about the nodes; missing if the caller may not list them
/// @param preemptions answer about the preemptions
/// @param server answer about the server
public record WhyReport(JsonNode gang, JsonNode nodes, JsonNode preemptions, JsonNode server) {
  private static final int MOST_NODES = 8;
  private static final int MOST_TRANSITIONS = 8;
  private static final Set<String> OF_MEMBERS =
      Set.of("WaitingForMembers", "PodGroupMissing", "GatheringTimedOut", "InvalidSpecification");

  /// Returns the lines below the headline.
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(reason());
    places().ifPresent(lines::add);
    plan()
        .ifPresent(text -> {
          lines.add(text);
          plannedNodes().forEach(node -> lines.add("  " + node));
        });
    stopped().ifPresent(lines::add);
    HumanText.texts(gang.path("sooner")).forEach(hint -> lines.add("Sooner: " + hint));
    lines.addAll(avoided());
    lines.addAll(transitions());
    next().ifPresent(step -> lines.add("Next: " + step));
    String policy = server.at("/policy/revision").asText();
    lines.add(
        "Seen %s%s."
            .formatted(
                HumanText.clock(gang.path("asOf"), gang),
                policy.isEmpty() ? "" : ", policy " + policy));
    return lines;
  }

  /// Returns the token of the reason with its sentence.
  public String reason() {
    return "%s: %s".formatted(gang.path("reason").asText("Unknown"), gang.path("message").asText());
  }

  /// Returns a sentence for each node that the gang avoids.
  public List<String> avoided() {
    List<String> lines = new ArrayList<>();
    for (JsonNode avoided : gang.path("avoidedNodes")) {
      lines.add(
          "Avoids %s until %s: %s"
              .formatted(
                  avoided.path("node").asText(),
                  HumanText.clock(avoided.path("until"), gang),
                  avoided.path("message").asText()));
    }
    return lines;
  }

  /// Returns the last transitions, oldest first.
  private List<String> transitions() {
    List<String> lines = new ArrayList<>();
    for (JsonNode each : gang.path("transitions")) {
      lines.add(
          "  %s  %s".formatted(HumanText.clock(each.path("at"), gang), HumanText.transition(each)));
    }
    List<String> shown = lines.subList(Math.max(0, lines.size() - MOST_TRANSITIONS), lines.size());
    if (!shown.isEmpty()) {
      shown.addFirst("Before:");
    }
    return shown;
  }

  private String verdict() {
    return gang.path("verdict").asText();
  }

  private boolean waits() {
    return Set.of("Waits", "Never").contains(verdict());
  }

  /// Returns the state of the gang in one line.
  public String headline() {
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

  /// Returns what the gang does, and for how long.
  public String state() {
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

  /// Returns the nodes of the members that have one.
  public Optional<String> places() {
    Map<String, Integer> pods = new TreeMap<>();
    for (JsonNode member : gang.path("members")) {
      String node = member.path("node").asText(member.path("promised").asText());
      if (!node.isEmpty()) {
        pods.merge(node, 1, Integer::sum);
      }
    }
    List<String> parts = new ArrayList<>();
    pods.forEach((node, number) -> parts.add("%s (%s)".formatted(node, pods(number))));
    return parts.isEmpty() ? Optional.empty() : Optional.of("On %s.".formatted(shortened(parts)));
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

  /// Returns the planned start, if there is one.
  public Optional<String> plan() {
    JsonNode planned = gang.path("planned");
    if (!waits() || planned.isMissingNode()) {
      return Optional.empty();
    }
    List<String> names = HumanText.texts(planned.path("nodes"));
    String where =
        names.isEmpty()
            ? HumanText.count(planned.path("otherNodes").asInt(), "node")
            : shortened(names);
    return Optional.of(plan(planned) + " on " + where + ".");
  }

  /// Returns some nodes of the planned start, with those who are on them now.
  public List<String> plannedNodes() {
    List<String> names = HumanText.texts(gang.at("/planned/nodes"));
    List<String> lines = new ArrayList<>();
    for (JsonNode node : nodes.path("items")) {
      if (lines.size() < MOST_NODES && names.contains(node.path("name").asText())) {
        lines.add(
            "%s  %s/%s free  %s"
                .formatted(
                    node.path("name").asText(),
                    node.at("/gpus/free").asText(),
                    node.at("/gpus/total").asText(),
                    HumanText.occupants(node)));
      }
    }
    return lines;
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
  public Optional<String> stopped() {
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

  /// Returns the next step for the owner of a gang that waits.
  public Optional<String> next() {
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

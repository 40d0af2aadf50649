package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/// `muster preemptions`: prints who was stopped for whom, newest first.
@Command(
    name = "preemptions",
    description = {
      "Shows which gang was stopped for which, by which rule, and what was lost, newest first.",
      "decided: victims were chosen; shadow: the policy only tells; evicted: pods were evicted;"
          + " spared: called off."
    },
    mixinStandardHelpOptions = true)
public final class PreemptionsCommand extends ListCommand {
  private static final int NARROW = 7;
  private static final String HIDDEN = "(others)";

  @Override
  JsonNode read(PageSource pages) {
    return pages.get("/api/v1/preemptions");
  }

  @Override
  public Listing listing(JsonNode document) {
    TextTable rows =
        new TextTable("AT", "ACT", "VICTIM", "FOR", "PODS", "RULE", "GPU-HOURS", "WHY");
    List<String> names = new ArrayList<>();
    for (JsonNode act : document.path("ledger")) {
      if (act.path("act").asText().equals("decided")) {
        decided(rows, document, act);
      } else {
        rows.row(
            HumanText.clock(act.path("at"), document),
            act.path("act").asText(),
            name(act.path("gang")),
            act.path("act").asText().equals("spared") ? name(act.path("by")) : "-",
            HumanText.text(act.path("pods")),
            "-",
            "-",
            HumanText.text(act.path("why")));
      }
      names.add("gang/" + act.path("gang").asText(HIDDEN));
    }
    return new Listing(
        rows,
        NARROW,
        names,
        "%s under way, %s in the ledger. %s"
            .formatted(
                HumanText.count(
                    document.path("items").size() + document.at("/others/preemptions").asInt(),
                    "preemption"),
                HumanText.count(
                    document.path("ledger").size() + document.at("/others/acts").asInt(), "act"),
                asOf(document)));
  }

  private static void decided(TextTable rows, JsonNode document, JsonNode act) {
    String what = act.path("enforced").asBoolean(true) ? "decided" : "shadow";
    for (JsonNode victim : act.path("victims")) {
      row(rows, document, act, what, victim);
    }
    JsonNode others = act.path("otherVictims");
    if (others.has("pods")) {
      row(
          rows,
          document,
          act,
          what,
          JsonNodeFactory.instance.objectNode().put("pods", others.path("pods").asInt()));
    }
  }

  private static void row(
      TextTable rows, JsonNode document, JsonNode act, String what, JsonNode victim) {
    rows.row(
        HumanText.clock(act.path("at"), document),
        what,
        name(victim.path("gang")),
        name(act.path("gang")),
        victim.path("pods").asText(),
        HumanText.text(victim.path("rule")),
        victim.has("lostGpuSeconds")
            ? HumanText.gpuHours(victim.path("lostGpuSeconds").asLong())
            : "-",
        HumanText.text(act.path("reason")));
  }

  private static String name(JsonNode gang) {
    return gang.isTextual() ? gang.asText() : HIDDEN;
  }
}

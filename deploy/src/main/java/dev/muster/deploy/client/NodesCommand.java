package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/// `muster nodes`: prints the nodes with their free GPUs and the gangs on them, as sinfo does.
@Command(
    name = "nodes",
    description = {
      "Shows nodes with their GPUs and the gangs on them.",
      "Who may not list nodes sees only sums."
    },
    mixinStandardHelpOptions = true)
public final class NodesCommand extends ListCommand {
  private static final int NARROW = 9;

  @Override
  JsonNode read(PageSource pages) {
    return pages.get("/api/v1/nodes");
  }

  @Override
  public Listing listing(JsonNode document) {
    TextTable rows =
        new TextTable(
            "NODE",
            "DOMAIN",
            "MODEL",
            "GPUS",
            "FREE",
            "USED",
            "PROMISED",
            "STATE",
            "GANGS",
            "FAULTS");
    List<String> names = new ArrayList<>();
    for (JsonNode node : document.path("items")) {
      JsonNode gpus = node.path("gpus");
      List<String> faults = HumanText.texts(node.path("faults"));
      rows.row(
          node.path("name").asText(),
          HumanText.text(node.path("domain")),
          node.path("model").asText(),
          gpus.path("total").asText(),
          gpus.path("free").asText(),
          gpus.path("used").asText(),
          gpus.path("promised").asText(),
          state(node, faults),
          HumanText.occupants(node),
          faults.isEmpty() ? "-" : String.join("; ", faults));
      names.add("node/" + node.path("name").asText());
    }
    return new Listing(rows, NARROW, names, footer(document));
  }

  private static String state(JsonNode node, List<String> faults) {
    if (!faults.isEmpty()) {
      return "Unhealthy";
    }
    return node.path("cordoned").asBoolean() ? "Cordoned" : "Ready";
  }

  private static String footer(JsonNode document) {
    int nodes = document.path("items").size();
    int[] sums = new int[2];
    for (JsonNode node : document.path("items")) {
      sums[0] += node.at("/gpus/free").asInt();
      sums[1] += node.at("/gpus/total").asInt();
    }
    JsonNode others = document.path("others");
    if (others.has("nodes")) {
      nodes += others.path("nodes").asInt();
      sums[0] += others.at("/gpus/free").asInt();
      sums[1] += others.at("/gpus/total").asInt();
    }
    return "%s, %d of %d GPUs free. %s"
        .formatted(HumanText.count(nodes, "node"), sums[0], sums[1], asOf(document));
  }
}

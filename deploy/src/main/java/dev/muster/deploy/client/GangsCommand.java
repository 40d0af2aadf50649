package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `muster gangs`: prints all gangs by name, running and waiting ones.
@Command(
    name = "gangs",
    description = "Shows all gangs with their pods, nodes and reasons.",
    mixinStandardHelpOptions = true)
public final class GangsCommand extends ListCommand {
  private static final int NARROW = 8;

  @Mixin private FilterOptions chosen = new FilterOptions();

  @Override
  JsonNode read(PageSource pages) {
    String filters = chosen.query(pages);
    return pages.get("/api/v1/gangs" + (filters.isEmpty() ? "" : "?" + filters.substring(1)));
  }

  @Override
  public Listing listing(JsonNode document) {
    TextTable rows =
        new TextTable(
            "NAMESPACE",
            "NAME",
            "QUEUE",
            "STATE",
            "BOUND",
            "GPUS",
            "SHAPE",
            "RUNS",
            "REASON",
            "PRIORITY",
            "USER",
            "NODES");
    List<String> names = new ArrayList<>();
    for (JsonNode gang : document.path("items")) {
      rows.row(
          gang.path("namespace").asText(),
          gang.path("name").asText(),
          HumanText.text(gang.path("queue")),
          gang.path("verdict").asText(),
          "%s/%s".formatted(gang.path("bound").asText(), gang.path("minCount").asText()),
          gang.path("gpus").asText(),
          HumanText.shape(gang),
          HumanText.since(gang.path("startedAt"), document),
          HumanText.text(gang.path("reason")),
          gang.path("priority").asText(),
          HumanText.text(gang.path("user")),
          nodes(gang));
      names.add("gang/" + gang.path("name").asText());
    }
    return new Listing(rows, NARROW, names, footer(document));
  }

  private static String nodes(JsonNode gang) {
    TreeSet<String> nodes = new TreeSet<>(gang.path("members").findValuesAsText("node"));
    return nodes.isEmpty() ? "-" : String.join(",", nodes);
  }

  private static String footer(JsonNode document) {
    int others = document.at("/others/gangs").asInt();
    return "%s.%s %s"
        .formatted(
            HumanText.count(document.path("items").size(), "gang"),
            others == 0 ? "" : " %s of others.".formatted(HumanText.count(others, "gang")),
            asOf(document));
  }
}

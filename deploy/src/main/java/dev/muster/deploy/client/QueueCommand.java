package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `muster queue`: prints the line of waiting gangs, as squeue does.
@Command(
    name = "queue",
    description = {
      "Shows the waiting gangs in the order in which they are tried, with their position and"
          + " reason.",
      "The position counts all gangs, also those that you may not see."
    },
    mixinStandardHelpOptions = true)
public final class QueueCommand extends ListCommand {
  private static final int PAGE = 500;
  private static final int NARROW = 9;

  @Mixin private FilterOptions chosen = new FilterOptions();

  @Option(names = "--reason", paramLabel = "TOKEN", description = "Only gangs with this reason.")
  private @Nullable String reason;

  @Override
  JsonNode read(PageSource pages) {
    String filters = chosen.query(pages) + filter("reason", Optional.ofNullable(reason));
    String first = "/api/v1/waiting?limit=%d%s".formatted(PAGE, filters);
    JsonNode page = pages.get(first);
    if (!page.has("next") || !(page instanceof ObjectNode whole)) {
      return page;
    }
    Map<String, JsonNode> gangs = new LinkedHashMap<>(); // a rank that changes may show one again
    page.path("items").forEach(gang -> gangs.put(key(gang), gang));
    while (page.has("next")) {
      page = pages.get(first + filter("after", Optional.of(page.path("next").asText())));
      page.path("items").forEach(gang -> gangs.put(key(gang), gang));
    }
    whole.withArray("items").removeAll().addAll(gangs.values());
    whole.remove("next");
    return whole;
  }

  private static String key(JsonNode gang) {
    return gang.path("origin").asText() + " " + HumanText.id(gang);
  }

  @Override
  public Listing listing(JsonNode document) {
    TextTable rows =
        new TextTable(
            "POSITION",
            "NAMESPACE",
            "NAME",
            "QUEUE",
            "GPUS",
            "SHAPE",
            "WAIT",
            "START",
            "REASON",
            "IN QUEUE",
            "PRIORITY",
            "USER",
            "MESSAGE");
    List<String> names = new ArrayList<>();
    for (JsonNode gang : document.path("items")) {
      rows.row(
          HumanText.text(gang.path("position")),
          gang.path("namespace").asText(),
          gang.path("name").asText(),
          HumanText.text(gang.path("queue")),
          gang.path("gpus").asText(),
          HumanText.shape(gang),
          HumanText.since(gang.path("since"), document),
          HumanText.clock(gang.path("plannedStart"), document),
          HumanText.text(gang.path("reason")),
          HumanText.text(gang.path("positionInQueue")),
          gang.path("priority").asText(),
          HumanText.text(gang.path("user")),
          gang.path("message").asText());
      names.add("gang/" + gang.path("name").asText());
    }
    return new Listing(rows, NARROW, names, footer(document));
  }

  private static String footer(JsonNode document) {
    String total =
        "%s, %s GPUs."
            .formatted(
                HumanText.count(document.at("/total/gangs").asInt(), "waiting gang"),
                document.at("/total/gpus").asText());
    JsonNode others = document.path("others");
    String more =
        others.path("gangs").asInt() == 0
            ? ""
            : " %s of others, %s GPUs."
                .formatted(
                    HumanText.count(others.path("gangs").asInt(), "gang"),
                    others.path("gpus").asText());
    return "%s%s %s".formatted(total, more, asOf(document));
  }
}

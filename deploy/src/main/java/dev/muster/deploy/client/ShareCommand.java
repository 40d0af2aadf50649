package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/// `muster share`: prints the queues with their guarantees and their use, as sshare does.
@Command(
    name = "share",
    description = {
      "Shows what each queue has, uses and asks for.",
      "BORROWED is used beyond the guarantee. The queue with the smaller SHARE goes first."
    },
    mixinStandardHelpOptions = true)
public final class ShareCommand extends ListCommand {
  private static final int NARROW = 8;
  private static final double MILLI = 1000.0;

  @Override
  JsonNode read(PageSource pages) {
    return pages.get("/api/v1/queues");
  }

  @Override
  public Listing listing(JsonNode document) {
    TextTable rows =
        new TextTable(
            "QUEUE",
            "GUARANTEED",
            "MAXIMUM",
            "USED",
            "BORROWED",
            "WAITING",
            "GPU-HOURS",
            "SHARE",
            "WEIGHT",
            "GANGS",
            "NAMESPACES");
    List<String> names = new ArrayList<>();
    for (JsonNode queue : document.path("items")) {
      int used = queue.at("/inUse/gpus").asInt();
      JsonNode guaranteed = queue.at("/guaranteed/gpus");
      rows.row(
          queue.path("name").asText(),
          HumanText.text(guaranteed),
          HumanText.text(queue.at("/maximum/gpus")),
          String.valueOf(used),
          guaranteed.isNumber() ? String.valueOf(Math.max(0, used - guaranteed.asInt())) : "-",
          queue.at("/waiting/gpus").asText(),
          decimal(queue.path("usedMilliGpuHours").asLong() / MILLI),
          decimal(queue.path("share").asLong() / MILLI),
          queue.path("weight").asText(),
          queue.at("/waiting/gangs").asText(),
          namespaces(queue));
      names.add("queue/" + queue.path("name").asText());
    }
    int shown = document.path("items").size();
    int all = document.at("/total/queues").asInt(shown);
    int others = document.at("/others/queues").asInt();
    return new Listing(
        rows,
        NARROW,
        names,
        "%s%s.%s %s"
            .formatted(
                HumanText.count(all, "queue"),
                all == shown ? "" : ", of which %d are shown".formatted(shown),
                others == 0
                    ? ""
                    : " %s of others, %s GPUs used."
                        .formatted(
                            HumanText.count(others, "queue"),
                            document.at("/others/inUse/gpus").asText()),
                asOf(document)));
  }

  private static String namespaces(JsonNode queue) {
    List<String> names = HumanText.texts(queue.path("namespaces"));
    return names.isEmpty() ? "-" : String.join(",", names);
  }

  private static String decimal(double hours) {
    return String.format(Locale.ROOT, "%.1f", hours);
  }
}

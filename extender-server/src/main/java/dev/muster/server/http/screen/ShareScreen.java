package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The queues: does each get its share?
///
/// @param headline the answer in one sentence
record ShareScreen(String headline, List<Row> rows) {
  private static final double MILLI = 1000.0;

  /// A queue.
  ///
  /// @param borrowed GPUs that it uses beyond its guarantee; `-` without one
  /// @param use its use as a part of its maximum, or of its guarantee and its use
  record Row(
      String queue,
      GpuPicture use,
      String guaranteed,
      String maximum,
      int used,
      String models,
      String borrowed,
      String waiting,
      String gpuHours,
      String share,
      String weight,
      String namespaces) {}

  static ShareScreen of(JsonNode queues) {
    List<Row> rows = new ArrayList<>();
    queues.path("items").forEach(queue -> rows.add(row(queue)));
    int used = sum(queues, "/inUse/gpus");
    int gangs = sum(queues, "/waiting/gangs");
    int others = queues.at("/others/queues").asInt();
    int more = queues.at("/total/queues").asInt() - rows.size();
    return new ShareScreen(
        "%s in use by %s%s. %s.%s"
            .formatted(
                HumanText.count(used, "GPU"),
                HumanText.count(sum(queues, "/queues"), "queue"),
                others == 0 ? "" : ", of which you may not see %d".formatted(others),
                gangs == 0 ? "Nothing waits" : HumanText.count(gangs, "gang") + " waiting",
                more == 0
                    ? ""
                    : " The first %,d are shown; %,d more.".formatted(rows.size(), more)),
        rows);
  }

  private static int sum(JsonNode queues, String number) {
    return queues.at("/total" + number).asInt() + queues.at("/others" + number).asInt();
  }

  private static Row row(JsonNode queue) {
    int used = queue.at("/inUse/gpus").asInt();
    JsonNode guaranteed = queue.at("/guaranteed/gpus");
    JsonNode maximum = queue.at("/maximum/gpus");
    int scale = Math.max(used, Math.max(guaranteed.asInt(), maximum.asInt()));
    int own = guaranteed.isNumber() ? Math.min(used, guaranteed.asInt()) : used;
    List<String> models = new ArrayList<>();
    queue
        .at("/inUse/models")
        .properties()
        .forEach(model -> models.add(model.getKey() + " " + model.getValue().asText()));
    return new Row(
        queue.path("name").asText(),
        new GpuCount(scale, own, used - own, scale - used, 0).bar(),
        HumanText.text(guaranteed),
        HumanText.text(maximum),
        used,
        models.isEmpty() ? "-" : String.join(", ", models),
        guaranteed.isNumber() ? String.valueOf(used - own) : "-",
        queue.at("/waiting/gpus").asText()
            + " ("
            + HumanText.count(queue.at("/waiting/gangs").asInt(), "gang")
            + ")",
        decimal(queue.path("usedMilliGpuHours")),
        decimal(queue.path("share")),
        queue.path("weight").asText(),
        String.join(", ", HumanText.texts(queue.path("namespaces"))));
  }

  private static String decimal(JsonNode milli) {
    return milli.isNumber() ? String.format(Locale.ROOT, "%.1f", milli.asLong() / MILLI) : "-";
  }
}

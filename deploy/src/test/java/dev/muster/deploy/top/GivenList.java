package dev.muster.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/// Pages of a cluster in which 10,000 gangs wait, as the server answers them at 12:14:07 UTC.
final class GivenList {
  static final int WAITING = 10_000;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private GivenList() {}

  static ObjectNode page() {
    return MAPPER.createObjectNode().put("asOf", "2026-11-27T12:14:07Z").put("version", 7);
  }

  /// Returns the pages of a screen of this many rows.
  static TopPages pages(TopState state, int rows) {
    return pages(state, rows, "train-with-a-rather-long-name", "Needs 8; free: 0. ".repeat(9));
  }

  /// Returns the pages, all waiting gangs having this name and message.
  static TopPages pages(TopState state, int rows, String name, String message) {
    ObjectNode server = page().put("release", "1.2.3").put("leading", true).put("ready", true);
    ObjectNode nodes = page();
    nodes.putArray("items");
    nodes
        .putObject("total")
        .put("nodes", 3)
        .putObject("gpus")
        .put("total", 24)
        .put("free", 7)
        .put("used", 16)
        .put("promised", 1);
    JsonNode running = MAPPER.createObjectNode().set("total", sum(2, 17));
    return new TopPages(
        state,
        rows,
        server,
        line(0, 1, name, message),
        Map.of(
            TopView.WAITING,
            line(state.offset(), rows, name, message),
            TopView.RUNNING,
            running,
            TopView.NODES,
            nodes));
  }

  private static ObjectNode sum(int gangs, int gpus) {
    return MAPPER.createObjectNode().put("gangs", gangs).put("gpus", gpus);
  }

  private static JsonNode line(int offset, int rows, String name, String message) {
    ObjectNode page = page();
    for (int i = offset; i < Math.min(WAITING, offset + rows); i++) {
      ObjectNode gang =
          page.withArray("items")
              .addObject()
              .put("position", i + 1)
              .put("namespace", "team-a")
              .put("name", name)
              .put("queue", "team-a")
              .put("gpus", 16)
              .put("since", "2026-11-27T12:00:00Z")
              .put("plannedStart", "2026-11-27T13:00:00Z")
              .put("reason", "WaitingForCapacity")
              .put("user", "ann")
              .put("message", message);
      gang.withArray("shape").addObject().put("pods", 2).put("gpus", 8);
    }
    page.set("total", sum(WAITING, 160_000));
    return page;
  }
}

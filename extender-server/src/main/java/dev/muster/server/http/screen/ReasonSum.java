package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/// The gangs that wait for one reason.
///
/// @param href address of the queue board with these gangs
record ReasonSum(String reason, int gangs, int gpus, String href) {
  /// Returns the sums of an answer about waiting gangs.
  static List<ReasonSum> all(JsonNode line, String base) {
    List<ReasonSum> sums = new ArrayList<>();
    for (JsonNode each : line.path("reasons")) {
      String reason = each.path("reason").asText();
      sums.add(
          new ReasonSum(
              reason,
              each.path("gangs").asInt(),
              each.path("gpus").asInt(),
              ScreenUrl.of(base + "queue").with("reason", reason).text()));
    }
    return sums;
  }
}

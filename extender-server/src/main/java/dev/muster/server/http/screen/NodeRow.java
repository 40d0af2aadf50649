package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.List;

/// A node in a table.
///
/// @param state `Ready`, `Cordoned`, or the faults that make it unhealthy
/// @param gangs gangs on it that the caller sees
/// @param others pods of other gangs or of none, in words; empty if there are none
record NodeRow(
    String name,
    String domain,
    String model,
    GpuCount gpus,
    String state,
    List<Tenant> gangs,
    String others) {
  /// A gang on a node.
  ///
  /// @param text name of the gang, with its GPUs on the node
  record Tenant(String text, String href) {}

  static NodeRow of(JsonNode node, String base) {
    List<String> faults = HumanText.texts(node.path("faults"));
    boolean cordoned = node.path("cordoned").asBoolean();
    List<Tenant> gangs = new ArrayList<>();
    for (JsonNode gang : node.path("gangs")) {
      gangs.add(
          new Tenant(
              "%s (%s)".formatted(HumanText.id(gang), gang.path("gpus").asText()),
              ScreenUrl.gang(base, gang.path("namespace").asText(), gang.path("name").asText())));
    }
    int others = node.at("/otherPods/pods").asInt();
    return new NodeRow(
        node.path("name").asText(),
        node.path("domain").asText(),
        node.path("model").asText(),
        GpuCount.of(node.path("gpus"), faults.isEmpty() && !cordoned),
        state(faults, cordoned),
        gangs,
        others == 0
            ? ""
            : "%s (%s)"
                .formatted(
                    HumanText.count(others, "other pod"), node.at("/otherPods/gpus").asText()));
  }

  private static String state(List<String> faults, boolean cordoned) {
    if (!faults.isEmpty()) {
      return String.join("; ", faults);
    }
    return cordoned ? "Cordoned" : "Ready";
  }

  boolean takesPods() {
    return state.equals("Ready");
  }

  GpuPicture picture() {
    return GpuPicture.node(gpus);
  }
}

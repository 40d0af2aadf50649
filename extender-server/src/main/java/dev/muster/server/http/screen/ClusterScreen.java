package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.server.http.page.HumanText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// The map of the cluster: is it full, is it healthy, where is room?
///
/// Nodes are drawn by domain of the topology. A cluster with very many domains is drawn by an outer
/// level, and one with very many nodes by a bar for each domain. The table has one part of the
/// nodes at a time.
///
/// @param headline the answer in one sentence
/// @param models GPUs by model
/// @param domains cards of the map
/// @param domain the domain whose nodes are listed; empty for all
/// @param rows nodes of the table
/// @param next address of the next part of the table; empty if there is none
/// @param waiting gangs that wait, by reason
/// @param hasNodes false if the caller may not list nodes
record ClusterScreen(
    String headline,
    List<ModelSum> models,
    List<Domain> domains,
    String domain,
    List<NodeRow> rows,
    String next,
    List<ReasonSum> waiting,
    boolean hasNodes) {
  private static final int MOST_DOMAINS = 200;
  private static final int MOST_DRAWN = 2_000;
  private static final int MOST_ROWS = 100;

  /// The GPUs of a model.
  record ModelSum(String model, int nodes, GpuCount gpus) {}

  /// A domain on the map.
  ///
  /// @param largest most free GPUs on one node that takes pods
  /// @param sick nodes that take no pods
  record Domain(
      String name,
      String href,
      int nodes,
      int sick,
      GpuCount gpus,
      int largest,
      GpuPicture picture) {}

  /// Returns the screen.
  ///
  /// @param nodes answer about the nodes
  /// @param line answer about waiting gangs
  /// @param domain the domain whose nodes are listed; empty for all
  /// @param after name of the node after which the table begins; empty for its beginning
  static ClusterScreen of(JsonNode nodes, JsonNode line, String base, String domain, String after) {
    List<NodeRow> all = new ArrayList<>();
    for (JsonNode node : nodes.path("items")) {
      if (node.at("/gpus/total").asInt() > 0) {
        all.add(NodeRow.of(node, base));
      }
    }
    List<NodeRow> inside = all.stream().filter(node -> isIn(node, domain)).toList();
    List<NodeRow> rest = inside.stream().filter(node -> node.name().compareTo(after) > 0).toList();
    List<NodeRow> rows = rest.subList(0, Math.min(MOST_ROWS, rest.size()));
    ScreenUrl more = ScreenUrl.of(base).with("domain", domain);
    return new ClusterScreen(
        headline(all, nodes.path("others"), line),
        models(all),
        domains(all, base),
        domain,
        rows,
        rows.size() < rest.size() ? more.with("after", rows.getLast().name()).text() : "",
        ReasonSum.all(line, base),
        !nodes.has("others") || !nodes.path("others").has("nodes"));
  }

  private static String headline(List<NodeRow> all, JsonNode hidden, JsonNode line) {
    GpuCount sum =
        all.stream()
            .map(NodeRow::gpus)
            .reduce(GpuCount.of(hidden.path("gpus"), true), GpuCount::plus);
    long sick = all.stream().filter(node -> !node.takesPods()).count();
    String text =
        "%d of %s free on %s."
            .formatted(
                sum.free(),
                HumanText.count(sum.total(), "GPU"),
                HumanText.count(all.size() + hidden.path("nodes").asInt(), "node"));
    String outage =
        sick == 0
            ? ""
            : " %s takes no pods, %s idle there."
                .formatted(HumanText.count((int) sick, "node"), HumanText.count(sum.out(), "GPU"));
    int gangs = line.at("/total/gangs").asInt() + line.at("/others/gangs").asInt();
    int gpus = line.at("/total/gpus").asInt() + line.at("/others/gpus").asInt();
    return "%s%s %s."
        .formatted(
            text,
            outage,
            gangs == 0
                ? "Nothing waits"
                : "Waiting: %s for %s"
                    .formatted(HumanText.count(gangs, "gang"), HumanText.count(gpus, "GPU")));
  }

  private static List<ModelSum> models(List<NodeRow> all) {
    SequencedMap<String, ModelSum> sums = new LinkedHashMap<>();
    for (NodeRow node : all) {
      sums.merge(
          node.model(),
          new ModelSum(node.model(), 1, node.gpus()),
          (a, b) -> new ModelSum(a.model(), a.nodes() + b.nodes(), a.gpus().plus(b.gpus())));
    }
    return List.copyOf(sums.values());
  }

  private static boolean isIn(NodeRow node, String domain) {
    return domain.isEmpty()
        || node.domain().equals(domain)
        || node.domain().startsWith(domain + "/");
  }

  private static List<Domain> domains(List<NodeRow> all, String base) {
    int depth = all.stream().mapToInt(node -> node.domain().split("/", -1).length).max().orElse(1);
    Map<String, List<NodeRow>> groups = grouped(all, depth);
    while (groups.size() > MOST_DOMAINS && depth > 1) {
      depth--;
      groups = grouped(all, depth);
    }
    boolean drawn = all.size() <= MOST_DRAWN;
    List<Domain> domains = new ArrayList<>();
    groups.forEach((name, nodes) -> domains.add(domain(name, nodes, drawn, base)));
    return domains;
  }

  private static Map<String, List<NodeRow>> grouped(List<NodeRow> all, int depth) {
    Map<String, List<NodeRow>> groups = new LinkedHashMap<>();
    for (NodeRow node : all) {
      List<String> path = List.of(node.domain().split("/", -1));
      String name = String.join("/", path.subList(0, Math.min(depth, path.size())));
      groups.computeIfAbsent(name, _ -> new ArrayList<>()).add(node);
    }
    return groups;
  }

  private static Domain domain(String name, List<NodeRow> nodes, boolean drawn, String base) {
    GpuCount sum = nodes.stream().map(NodeRow::gpus).reduce(GpuCount.NONE, GpuCount::plus);
    return new Domain(
        name.isEmpty() ? "no domain" : name,
        ScreenUrl.of(base).with("domain", name).text(),
        nodes.size(),
        (int) nodes.stream().filter(node -> !node.takesPods()).count(),
        sum,
        nodes.stream().mapToInt(node -> node.gpus().free()).max().orElse(0),
        drawn ? GpuPicture.nodes(nodes.stream().map(NodeRow::gpus).toList()) : sum.bar());
  }
}

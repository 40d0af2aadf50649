package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.server.http.access.PageView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Renders nodes for the API, with the gangs on them. Pods of other gangs, and of none, are
/// counted.
///
/// @param gangs gang of each pod
public record NodeView(Map<MemberId, GangId> gangs) {
  /// Returns the view of an image. It is valid for all callers.
  public static NodeView of(Cluster cluster) {
    Map<MemberId, GangId> gangs = new HashMap<>();
    for (Gang gang : cluster.gangs()) {
      for (Member member : gang.members()) {
        gangs.put(member.id(), gang.id());
      }
    }
    return new NodeView(gangs);
  }

  /// The nodes that a caller asks for.
  public static final class Asked {
    private static final String FREE = "free";
    private static final String USED = "used";

    private final ListPart part;

    private Asked(ListPart part) {
      this.part = part;
    }

    /// Returns what a query asks for.
    ///
    /// @throws MalformedQuery if a value cannot be read
    public static Asked of(PageQuery query) throws MalformedQuery {
      return new Asked(ListPart.of(query, ListPart.ALL, List.of("name", FREE, USED)));
    }

    private List<NodeState> of(Cluster cluster) {
      List<NodeState> nodes = new ArrayList<>();
      cluster.nodes().forEach(nodes::add);
      switch (part.sort()) {
        case FREE -> nodes.sort(Comparator.comparingInt(NodeState::unpromisedGpus).reversed());
        case USED -> nodes.sort(Comparator.comparingInt(NodeState::usedGpus).reversed());
        default -> {}
      }
      return part.of(nodes);
    }
  }

  /// Adds the nodes and their sums; only sums for a caller who may not list nodes.
  public ObjectNode addTo(ObjectNode json, Cluster cluster, PageView view, Asked asked) {
    if (view.nodes()) {
      asked.of(cluster).forEach(node -> json.withArray("items").add(node(node, view)));
    }
    sums(json.putObject(view.nodes() ? "total" : "others"), cluster);
    return json;
  }

  private static void sums(ObjectNode json, Cluster cluster) {
    int[] sums = new int[5];
    for (NodeState node : cluster.nodes()) {
      sums[0]++;
      sums[1] += node.node().gpus();
      sums[2] += node.unpromisedGpus();
      sums[3] += node.usedGpus();
      sums[4] += node.promisedGpus();
    }
    gpus(json.put("nodes", sums[0]), sums[1], sums[2], sums[3], sums[4]);
  }

  private ObjectNode node(NodeState state, PageView view) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", state.id().name());
    json.put("domain", String.join("/", state.path().values()));
    json.put("model", state.node().model().toString());
    json.put("cordoned", state.node().cordoned());
    state.node().faults().forEach(json.putArray("faults")::add);
    gpus(json, state.node().gpus(), state.unpromisedGpus(), state.usedGpus(), state.promisedGpus());
    occupants(json, state, view);
    return json;
  }

  private static void gpus(ObjectNode json, int total, int free, int used, int promised) {
    json.putObject("gpus")
        .put("total", total)
        .put("free", free)
        .put("used", used)
        .put("promised", promised);
  }

  /// The pods and GPUs of one gang on a node.
  private static final class Presence {
    private int pods;
    private int gpus;
    private int promised;

    void add(NodeShare share, boolean isPromised) {
      pods++;
      gpus += share.gpus();
      promised += isPromised ? 1 : 0;
    }
  }

  private void occupants(ObjectNode json, NodeState state, PageView view) {
    TreeMap<GangId, Presence> seen = new TreeMap<>();
    Presence others = new Presence();
    state
        .occupants()
        .entries()
        .forEach(pod -> presence(pod.key(), seen, others, view).add(pod.value(), false));
    state
        .promises()
        .entries()
        .forEach(pod -> presence(pod.key(), seen, others, view).add(pod.value(), true));
    var items = json.putArray("gangs");
    seen.forEach((gang, presence) -> {
      ObjectNode item = items.addObject();
      item.put("namespace", gang.namespace()).put("name", gang.name());
      item.put("pods", presence.pods).put("gpus", presence.gpus);
      item.put("promisedPods", presence.promised);
    });
    if (others.pods > 0) {
      json.putObject("otherPods").put("pods", others.pods).put("gpus", others.gpus);
    }
  }

  private Presence presence(
      MemberId pod, Map<GangId, Presence> seen, Presence others, PageView view) {
    return Optional.ofNullable(gangs.get(pod))
        .filter(view::sees)
        .map(gang -> seen.computeIfAbsent(gang, _ -> new Presence()))
        .orElse(others);
  }
}

package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import java.util.ArrayList;
import java.util.List;

/// Renders preemptions for the API. Of gangs that the caller may not see, only numbers appear.
public final class PreemptionView {
  private PreemptionView() {}

  /// Adds the preemptions under way, and the last entries of the ledger, newest first.
  public static ObjectNode all(
      ObjectNode json, State state, List<ObjectNode> ledger, PageView view) {
    int hidden = 0;
    for (Preemption preemption : state.preemptions().underWay()) {
      hidden += add(json.withArray("items"), underWay(preemption), state, view);
    }
    int hiddenActs = 0;
    ArrayNode acts = json.putArray("ledger");
    for (ObjectNode act : ledger.reversed()) {
      hiddenActs += add(acts, act, state, view);
    }
    if (!view.isWhole()) {
      json.putObject("others").put("preemptions", hidden).put("acts", hiddenActs);
    }
    return json;
  }

  private static ObjectNode underWay(Preemption preemption) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("gang", preemption.gang().toString());
    json.put("evicting", preemption.evicting()).put("calledOff", preemption.over());
    ArrayNode victims = json.putArray("victims");
    for (Preemption.Stop stop : preemption.stops()) {
      ObjectNode victim =
          victims
              .addObject()
              .put("gang", stop.victim().gang().toString())
              .put("pods", stop.victim().members().size())
              .put("rule", stop.victim().rule())
              .put("lostGpuSeconds", stop.victim().lostWork())
              .put("told", stop.notified());
      stop.deadline().ifPresent(at -> victim.put("deadline", at.toString()));
    }
    return json;
  }

  /// Adds what the caller may see of an act. Returns 1 if this is nothing, else 0.
  private static int add(ArrayNode array, ObjectNode act, State state, PageView view) {
    if (view.isWhole()) {
      array.add(act);
      return 0;
    }
    ObjectNode shown = act.deepCopy();
    boolean seen = keep(shown, "gang", state, view);
    keep(shown, "by", state, view);
    if (!view.seesAllGangs()) {
      shown.remove("why"); // it names the preemptor
    }
    if (!seen || !view.nodes()) {
      shown.remove("nodes");
    }
    int gangs = 0;
    int pods = 0;
    ArrayNode victims = shown.putArray("victims");
    for (JsonNode victim : act.path("victims")) {
      if (sees(state, view, victim.path("gang").asText())) {
        victims.add(victim);
      } else {
        gangs++;
        pods += victim.path("pods").asInt();
      }
    }
    if (!seen && victims.isEmpty()) {
      return 1;
    }
    if (!act.has("victims")) {
      shown.remove("victims");
    }
    if (gangs > 0) {
      shown.putObject("otherVictims").put("gangs", gangs).put("pods", pods);
    }
    array.add(shown);
    return 0;
  }

  /// Removes the name of a gang that the caller may not see. Returns true if the caller sees it.
  private static boolean keep(ObjectNode act, String field, State state, PageView view) {
    boolean seen = act.has(field) && sees(state, view, act.path(field).asText());
    if (!seen) {
      act.remove(field);
    }
    return seen;
  }

  /// True if the caller may see a gang in the form `namespace/name`: the one that exists, or of
  /// several each. Of a gang that is gone, the kind is not known, so the caller must see all kinds.
  private static boolean sees(State state, PageView view, String gang) {
    int slash = gang.indexOf('/');
    if (slash <= 0 || slash + 1 == gang.length()) {
      return false;
    }
    List<GangId> all = new ArrayList<>();
    List<GangId> existing = new ArrayList<>();
    for (GangId.Origin origin : GangId.Origin.values()) {
      GangId id = new GangId(gang.substring(0, slash), origin, gang.substring(slash + 1));
      all.add(id);
      if (state.cluster().gangs().contains(id)) {
        existing.add(id);
      }
    }
    return (existing.isEmpty() ? all : existing).stream().allMatch(view::sees);
  }
}

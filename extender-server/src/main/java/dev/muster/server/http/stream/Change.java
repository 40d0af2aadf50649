package dev.muster.server.http.stream;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import dev.muster.server.http.access.PageView;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// What differs between two images, by key.
///
/// @param from version of the earlier image
/// @param to version of the later image
/// @param gangs changed gangs: their objects, pods, waits, plans or preemptions
/// @param nodes changed nodes
/// @param whole true if too much changed to be named; then no key is named
record Change(long from, long to, SortedSet<GangId> gangs, SortedSet<NodeId> nodes, boolean whole) {
  /// The most keys that one change names. More are cheaper to read as lists.
  static final int MOST = 500;

  Change {
    boolean many = whole || gangs.size() + nodes.size() > MOST;
    whole = many;
    gangs = many ? Collections.emptySortedSet() : Collections.unmodifiableSortedSet(gangs);
    nodes = many ? Collections.emptySortedSet() : Collections.unmodifiableSortedSet(nodes);
  }

  /// Compares two images. Parts that both share are skipped.
  static Change between(State before, State after) {
    Cluster then = before.cluster();
    Cluster now = after.cluster();
    SortedSet<GangId> gangs = new TreeSet<>();
    add(gangs, then.gangs(), now.gangs());
    add(gangs, then.reservations(), now.reservations());
    add(gangs, then.avoidance().byGang(), now.avoidance().byGang());
    add(gangs, before.standing(), after.standing());
    add(gangs, before.startForecasts(), after.startForecasts());
    add(gangs, before.preemptions().underWay(), after.preemptions().underWay());
    add(gangs, before.preemptions().victims(), after.preemptions().victims());
    for (SortedTable.Difference<WaitClass.Key, WaitClass> one :
        after.waiting().classes().differences(before.waiting().classes())) {
      if (one.now().isPresent()
          && !one.before().map(WaitClass::why).equals(one.now().map(WaitClass::why))) {
        for (GangId gang : one.now().get().gangs()) {
          gangs.add(gang);
        }
      }
    }
    SortedSet<NodeId> nodes = new TreeSet<>();
    add(nodes, then.nodes(), now.nodes());
    return new Change(then.version(), now.version(), gangs, nodes, false);
  }

  private static <K extends Comparable<K>, V> void add(
      Set<K> keys, SortedTable<K, V> before, SortedTable<K, V> after) {
    after.differences(before).forEach(each -> keys.add(each.key()));
  }

  /// True if the lists show nothing new.
  boolean isEmpty() {
    return !whole && gangs.isEmpty() && nodes.isEmpty();
  }

  /// Returns what a caller may know of it, as JSON. As in the lists, a hidden gang or node counts
  /// as a number.
  String seenBy(PageView view) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("version", to);
    if (whole) {
      return json.put("all", true).toString();
    }
    ArrayNode named = json.putArray("gangs");
    gangs.stream().filter(view::sees).map(GangId::toString).distinct().forEach(named::add);
    ArrayNode machines = json.putArray("nodes");
    if (view.nodes()) {
      nodes.stream().map(NodeId::toString).forEach(machines::add);
    }
    if (!view.isWhole()) {
      json.putObject("others")
          .put("gangs", (int) gangs.stream().filter(gang -> !view.sees(gang)).count())
          .put("nodes", view.nodes() ? 0 : nodes.size());
    }
    return json.toString();
  }
}

package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Gang;
import dev.muster.core.node.Hold;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

/// Renders the line of waiting gangs for the API, one page at a time.
///
/// Gangs that the caller may not see keep their place in the positions, and are counted under
/// `others`. No filter counts them, since it could be used to guess their names.
public final class WaitingView {
  private static final int USUAL = 100;
  private static final int MOST = 500;

  private final PageQuery query;
  private final int limit;
  private final Optional<WaitingCursor> after;

  private WaitingView(PageQuery query, int limit, Optional<WaitingCursor> after) {
    this.query = query;
    this.limit = limit;
    this.after = after;
  }

  /// Returns the view of a query.
  ///
  /// @throws MalformedQuery if a value cannot be read
  public static WaitingView of(PageQuery query) throws MalformedQuery {
    Optional<String> cursor = query.value(PageParameters.AFTER);
    return new WaitingView(
        query,
        limit(query),
        cursor.isPresent() ? Optional.of(WaitingCursor.parse(cursor.get())) : Optional.empty());
  }

  private static int limit(PageQuery query) throws MalformedQuery {
    Optional<String> text = query.value(PageParameters.LIMIT);
    if (text.isEmpty()) {
      return USUAL;
    }
    boolean isNumber = text.get().matches("[0-9]{1,4}");
    int limit = isNumber ? Integer.parseInt(text.get()) : 0;
    if (limit < 1 || limit > MOST) {
      throw new MalformedQuery("The parameter \"limit\" must be 1 to %d.".formatted(MOST));
    }
    return limit;
  }

  /// A number of gangs and of their GPUs.
  private static final class Sum {
    private int gangs;
    private long gpus;

    void add(WaitingOrder.Place place) {
      gangs++;
      gpus += place.gpus();
    }

    void addTo(ObjectNode json) {
      json.put("gangs", gangs).put("gpus", gpus);
    }
  }

  /// Adds the page to an empty list.
  public ObjectNode addTo(ObjectNode json, WaitingOrder order, State state, PageView view) {
    Sum total = new Sum();
    Sum others = new Sum();
    TreeMap<String, Sum> reasons = new TreeMap<>();
    ArrayNode items = json.withArray("items");
    Optional<WaitingOrder.Place> last = Optional.empty();
    boolean more = false;
    for (WaitingOrder.Place place : order.places()) {
      if (!view.sees(place.gang().id())) {
        others.add(place);
      } else if (isWanted(place)) {
        reasons.computeIfAbsent(place.reason(), _ -> new Sum()).add(place);
        if (query.allows(PageParameters.REASON, place.reason())) {
          total.add(place);
          if (after.isEmpty() || after.get().isBefore(place)) {
            more |= items.size() == limit;
            if (items.size() < limit) {
              items.add(item(place, state, view));
              last = Optional.of(place);
            }
          }
        }
      }
    }
    total.addTo(json.putObject("total"));
    ArrayNode counts = json.putArray("reasons");
    reasons.forEach((reason, sum) -> sum.addTo(counts.addObject().put("reason", reason)));
    if (more) {
      last.ifPresent(place -> json.put("next", WaitingCursor.of(place).text()));
    }
    if (!view.isWhole()) {
      others.addTo(json.putObject("others"));
    }
    return json;
  }

  /// True if all filters but that of the reason allow the gang.
  private boolean isWanted(WaitingOrder.Place place) {
    return GangView.isWanted(query, place.gang());
  }

  private static ObjectNode item(WaitingOrder.Place place, State state, PageView view) {
    Gang gang = place.gang();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    GangView.identity(json, gang);
    GangView.account(json, gang);
    json.put("verdict", GangOutlook.of(state, gang).word());
    place.addTo(json);
    json.put("priority", place.rank().priority());
    GangShape.wanted(state.cluster(), gang).addTo(json);
    gang.constraints().gpus().models().forEach(json.putArray("models")::add);
    if (!gang.eligibleAt().equals(Instant.MAX)) {
      json.put("since", gang.eligibleAt().toString());
    }
    state
        .cluster()
        .holds()
        .get(gang.id())
        .flatMap(Hold::promised)
        .ifPresent(start -> json.put("plannedStart", start.toString()));
    GangView.reason(json, gang, state, view);
    return json;
  }
}

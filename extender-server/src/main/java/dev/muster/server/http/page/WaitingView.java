package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Gang;
import dev.muster.core.node.Hold;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// Renders the line of waiting gangs for the API, one page at a time.
///
/// Gangs that the caller may not see keep their place in the positions, and are counted under
/// `others`. No filter counts them, since it could be used to guess their names.
public final class WaitingView {
  private static final int USUAL = 100;
  private static final String POSITION = "position";
  private static final String GPUS = "gpus";
  private static final String WAIT = "wait";

  /// The reason of a gang without decision.
  static final String NOT_EVALUATED = "PendingEvaluation";

  /// The tokens of reasons of gangs in docs/reasons.md.
  private static final List<String> REASONS =
      List.of(
          "AvoidedNodes",
          "BudgetSpent",
          "Fragmented",
          "GatheringTimedOut",
          "ImpossibleRequest",
          "InvalidSpecification",
          "NoMatchingNodes",
          "NoModelHasRoom",
          "NotBoundInTime",
          NOT_EVALUATED,
          "PodGroupMissing",
          "QueueForbidden",
          "QuotaExhausted",
          "RecordRefused",
          "ReservedForOther",
          "StartRefused",
          "TooBigForQueue",
          "TopologyUnsatisfied",
          "UnknownQueue",
          "UnknownTopologyLevel",
          "WaitingForCapacity",
          "WaitingForMembers",
          "WouldDelayOther");

  private final PageQuery query;
  private final ListPart part;
  private final Optional<WaitingCursor> after;

  private WaitingView(PageQuery query, ListPart part, Optional<WaitingCursor> after) {
    this.query = query;
    this.part = part;
    this.after = after;
  }

  /// Returns the view of a query.
  ///
  /// @throws MalformedQuery if a value cannot be read
  public static WaitingView of(PageQuery query) throws MalformedQuery {
    Optional<String> cursor = query.value(PageParameters.AFTER);
    ListPart part = ListPart.of(query, USUAL, List.of(POSITION, WAIT, GPUS));
    if (cursor.isPresent() && !part.sort().equals(POSITION)) {
      throw new MalformedQuery(
          "The parameter \"after\" is a place in the line. With \"sort\", use \"offset\".");
    }
    Optional<String> reason = query.value(PageParameters.REASON);
    if (reason.isPresent() && !isReason(reason.get())) {
      throw new MalformedQuery(
          "The parameter \"reason\" must be one of %s.".formatted(String.join(", ", REASONS)));
    }
    return new WaitingView(
        query,
        part,
        cursor.isPresent() ? Optional.of(WaitingCursor.parse(cursor.get())) : Optional.empty());
  }

  /// True if a gang can wait for this reason. All others are refused as a filter.
  static boolean isReason(String token) {
    return REASONS.contains(token);
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
    List<WaitingOrder.Place> all = new ArrayList<>();
    for (WaitingOrder.Place place : order.places()) {
      if (!view.sees(place.gang().id())) {
        others.add(place);
      } else if (isWanted(place)) {
        reasons.computeIfAbsent(place.reason(), _ -> new Sum()).add(place);
        if (query.allows(PageParameters.REASON, place.reason())) {
          total.add(place);
          all.add(place);
        }
      }
    }
    List<WaitingOrder.Place> rest = after.isEmpty() ? all : after.get().rest(all);
    List<WaitingOrder.Place> shown = part.of(sorted(rest));
    ArrayNode items = json.withArray("items");
    shown.forEach(place -> items.add(item(place, state, view)));
    total.addTo(json.putObject("total"));
    ArrayNode counts = json.putArray("reasons");
    reasons.forEach((reason, sum) -> sum.addTo(counts.addObject().put("reason", reason)));
    if (part.sort().equals(POSITION) && part.offset() + shown.size() < rest.size()) {
      json.put("next", WaitingCursor.of(shown.getLast()).text());
    }
    if (!view.isWhole()) {
      others.addTo(json.putObject("others"));
    }
    return json;
  }

  /// Returns the gangs in the wanted order; those that are equal in it stay in the order of the
  /// line.
  private List<WaitingOrder.Place> sorted(List<WaitingOrder.Place> line) {
    return switch (part.sort()) {
      case WAIT ->
          line.stream().sorted(Comparator.comparing(place -> place.gang().eligibleAt())).toList();
      case GPUS ->
          line.stream()
              .sorted(Comparator.comparingLong(WaitingOrder.Place::gpus).reversed())
              .toList();
      default -> line;
    };
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

package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Gang;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Renders the list of all gangs for the API, or a part of it.
///
/// Gangs that the caller may not see are counted under `others`, whatever the filters are.
public final class GangListView {
  private static final String NAME = "name";
  private static final String GPUS = "gpus";
  private static final String START = "start";

  private final PageQuery query;
  private final ListPart part;
  private final Set<String> verdicts;

  private GangListView(PageQuery query, ListPart part, Set<String> verdicts) {
    this.query = query;
    this.part = part;
    this.verdicts = verdicts;
  }

  /// Returns the view of a query.
  ///
  /// @throws MalformedQuery if a value cannot be read
  public static GangListView of(PageQuery query) throws MalformedQuery {
    return new GangListView(
        query, ListPart.of(query, ListPart.ALL, List.of(NAME, GPUS, START)), verdicts(query));
  }

  private static Set<String> verdicts(PageQuery query) throws MalformedQuery {
    List<String> all = Arrays.stream(GangOutlook.values()).map(GangOutlook::word).toList();
    List<String> wanted =
        query.value(PageParameters.VERDICT).map(words -> List.of(words.split(",", -1))).orElse(all);
    if (!all.containsAll(wanted)) {
      throw new MalformedQuery(
          "The parameter \"verdict\" must be one of %s, or several with commas."
              .formatted(String.join(", ", all)));
    }
    return Set.copyOf(wanted);
  }

  /// Adds the list to an empty document.
  public ObjectNode addTo(ObjectNode json, State state, Queues queues, PageView view) {
    int gangs = 0;
    int pods = 0;
    List<Gang> wanted = new ArrayList<>();
    for (Gang gang : state.cluster().gangs()) {
      if (!view.sees(gang.id())) {
        gangs++;
        pods += gang.presentCount();
      } else if (isWanted(gang, state)) {
        wanted.add(gang);
      }
    }
    ArrayNode items = json.withArray("items");
    part.of(sorted(wanted)).forEach(gang -> items.add(GangView.of(gang, state, queues, view)));
    json.putObject("total").put("gangs", wanted.size()).put(GPUS, gpus(wanted));
    if (!view.isWhole()) {
      json.putObject("others").put("gangs", gangs).put("pods", pods);
    }
    return json;
  }

  private boolean isWanted(Gang gang, State state) {
    return GangView.isWanted(query, gang) && verdicts.contains(GangOutlook.of(state, gang).word());
  }

  private static long gpus(List<Gang> gangs) {
    return gangs.stream().mapToLong(gang -> GangShape.of(gang).gpus()).sum();
  }

  /// A gang, and the number by which it is sorted.
  private record Ranked(Gang gang, long key) {}

  /// Returns the gangs in the wanted order; those that are equal in it stay in the order of names.
  private List<Gang> sorted(List<Gang> byName) {
    return switch (part.sort()) {
      case GPUS ->
          sorted(byName.stream().map(each -> new Ranked(each, -GangShape.of(each).gpus())));
      case START -> sorted(byName.stream().map(each -> new Ranked(each, started(each))));
      default -> byName;
    };
  }

  private static List<Gang> sorted(Stream<Ranked> gangs) {
    return gangs.sorted(Comparator.comparingLong(Ranked::key)).map(Ranked::gang).toList();
  }

  private static long started(Gang gang) {
    return GangOutlook.startedAt(gang).map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
  }
}

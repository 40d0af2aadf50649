package dev.muster.core.placement.oracle;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Placement;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// Among racks with an equally good best placement, the search takes the first by name. The order
/// in which it examines them depends on lower bounds, and must not decide.
class FirstOfEqualDomainsTest {
  /// Free GPUs of cordoned nodes: 8 in all. Lower bounds count them, and placements do not use
  /// them.
  private static final List<List<Integer>> CORDONED =
      List.of(List.of(8), List.of(4, 4), List.of(6, 2), List.of(2, 2, 2, 2));

  @Property(tries = 100)
  void gang_goes_to_the_first_of_the_best_racks(@ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    GangDraft gang = gang("a").of(2 + random.nextInt(3), 1 + random.nextInt(3)).within("rack");
    List<List<Integer>> usable = List.of(drawn(random), drawn(random));
    List<String> racks = new ArrayList<>();
    Optional<OracleTerms> best = Optional.empty();
    Optional<String> first = Optional.empty();
    for (int i = 0; i < 4; i++) {
      racks.add(rack("r" + i, usable.get(random.nextInt(2)), CORDONED.get(random.nextInt(4))));
      Optional<OracleTerms> alone = termsAlone(racks.getLast(), gang);
      if (alone.isPresent() && (best.isEmpty() || alone.get().compareTo(best.get()) < 0)) {
        best = alone;
        first = Optional.of("r" + i);
      }
    }
    Cluster cluster = cluster(String.join("\n", racks), gang);
    Optional<String> taken =
        search(cluster, gang)
            .map(found -> found.assignments().getFirst().node().name().substring(0, 2));
    assertThat(taken).as("%s in\n%s", gang.members(), racks).isEqualTo(first);
  }

  /// Draws the free GPUs of three nodes.
  private static List<Integer> drawn(Random random) {
    return List.of(1 + random.nextInt(4), 1 + random.nextInt(4), 1 + random.nextInt(4));
  }

  private static String rack(String name, List<Integer> usable, List<Integer> cordoned) {
    StringBuilder drawing = new StringBuilder("b/" + name + ":");
    usable.forEach(free -> drawing.append(node(name, drawing.length(), free)));
    cordoned.forEach(free -> drawing.append(node(name, drawing.length(), free)).append("!"));
    return drawing.toString();
  }

  /// Draws a node with 8 GPUs.
  private static String node(String rack, int number, int free) {
    return " %sn%d[%s%s]".formatted(rack, number, "#".repeat(8 - free), ".".repeat(free));
  }

  /// Returns the terms of the best placement if the cluster had only this rack.
  private static Optional<OracleTerms> termsAlone(String rack, GangDraft gang) {
    Cluster cluster = cluster(rack, gang);
    Puzzle puzzle = Puzzle.of(cluster, cluster.gang(gang.id()));
    return search(cluster, gang).map(found -> new Judge(puzzle, found).terms());
  }

  private static Cluster cluster(String drawing, GangDraft gang) {
    return Scene.unsynced(drawing, Policies.DEFAULT).arrives(gang).cluster();
  }

  private static Optional<Placement> search(Cluster cluster, GangDraft draft) {
    Gang gang = cluster.gang(draft.id());
    return PlacementSearch.search(cluster, gang, gang.waiting(), SortedKeys.empty())
            instanceof SearchResult.Found found
        ? Optional.of(found.placement())
        : Optional.empty();
  }
}

package dev.muster.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.topology.Vertex.Gpu;
import dev.muster.core.topology.Vertex.Node;
import dev.muster.core.topology.Vertex.Switch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class InterconnectPropertyTest {
  private static final int GPUS = 6;

  @Property(tries = 300)
  void order_of_links_does_not_matter(
      @ForAll("links") List<Link> links, @ForAll("gangs") Set<Vertex> gang, @ForAll Random random) {
    List<Link> shuffled = new ArrayList<>(links);
    Collections.shuffle(shuffled, random);
    Interconnect one = new Interconnect(links);
    Interconnect other = new Interconnect(shuffled);
    assertThat(other).isEqualTo(one);
    assertThat(other.bottleneck(gang)).isEqualTo(one.bottleneck(gang));
    assertThat(new MachineModel("m", GPUS, shuffled).bestSubset(3))
        .isEqualTo(new MachineModel("m", GPUS, links).bestSubset(3));
  }

  @Property(tries = 500)
  void bottleneck_is_the_worst_of_the_widest_paths(
      @ForAll("links") List<Link> links, @ForAll("gangs") Set<Vertex> gang) {
    Assume.that(gang.size() > 1);
    assertThat(new Interconnect(links).bottleneck(gang))
        .isEqualTo(worstOfTheWidestPaths(links, gang));
  }

  @Property(tries = 500)
  void further_member_never_helps_where_only_switches_relay(
      @ForAll("links") List<Link> links,
      @ForAll("gangs") Set<Vertex> gang,
      @ForAll("gangs") Set<Vertex> more) {
    Interconnect switched =
        new Interconnect(
            links.stream().filter(link -> link.a().relays() || link.b().relays()).toList());
    List<Vertex> homes = new ArrayList<>(gang);
    homes.addAll(more);
    Assume.that(homes.stream().allMatch(gpu -> degree(switched, gpu) <= 1));
    assertThat(switched.bottleneck(new TreeSet<>(homes)))
        .isLessThanOrEqualTo(switched.bottleneck(gang));
  }

  @Property(tries = 500)
  void levels_agree_with_their_tree(
      @ForAll("paths") List<DomainPath> paths, @ForAll("bandwidths") List<Long> mbps) {
    LevelBandwidths levels = new LevelBandwidths(mbps);
    Map<String, DomainPath> nodes = new TreeMap<>();
    IntStream.range(0, paths.size()).forEach(i -> nodes.put("n" + i, paths.get(i)));
    Set<Node> gang = nodes.keySet().stream().map(Node::new).collect(Collectors.toSet());
    assertThat(levels.across(paths))
        .isEqualTo(Interconnect.NONE.over(levels, nodes).bottleneck(gang));
  }

  @Property(tries = 200)
  void best_subset_is_the_best_of_all_and_the_guarantee_the_worst(
      @ForAll("links") List<Link> links) {
    MachineModel machine = new MachineModel("m", GPUS, links);
    Interconnect inside = new Interconnect(links);
    for (int k = 2; k <= GPUS; k++) {
      List<List<Integer>> all = subsets(k);
      assertThat(machine.bestSubset(k)).isEqualTo(Collections.min(all, bestFirst(inside)));
      assertThat(machine.bandwidthOf(k)).isEqualTo(inside.bottleneck(gpus(machine.bestSubset(k))));
      long worst =
          all.stream().mapToLong(subset -> inside.bottleneck(gpus(subset))).min().orElseThrow();
      assertThat(machine.guaranteed(k)).isEqualTo(worst);
    }
  }

  private static Comparator<List<Integer>> bestFirst(Interconnect inside) {
    return Comparator.comparingLong((List<Integer> subset) -> -inside.bottleneck(gpus(subset)))
        .thenComparingLong(subset -> -totalOfPairs(inside, subset))
        .thenComparing(List::toString);
  }

  private static long totalOfPairs(Interconnect inside, List<Integer> subset) {
    return subset.stream()
        .flatMap(a -> subset.stream().filter(b -> b < a).map(b -> gpus(List.of(a, b))))
        .mapToLong(inside::bottleneck)
        .sum();
  }

  /// In ascending order within each; as all indexes have one digit, texts sort as they do.
  private static List<List<Integer>> subsets(int k) {
    return IntStream.range(0, 1 << GPUS)
        .filter(mask -> Integer.bitCount(mask) == k)
        .mapToObj(
            mask -> IntStream.range(0, GPUS).filter(i -> (mask >> i) % 2 == 1).boxed().toList())
        .toList();
  }

  private static Set<Vertex> gpus(List<Integer> indexes) {
    return indexes.stream().map(Gpu::new).collect(Collectors.toSet());
  }

  /// Floyd and Warshall's algorithm for widest paths through the gang and the switches.
  private static long worstOfTheWidestPaths(List<Link> links, Set<Vertex> gang) {
    List<Vertex> places = vertices().stream().filter(v -> v.relays() || gang.contains(v)).toList();
    Map<List<Vertex>, Long> widest = new TreeMap<>(Comparator.comparing(List::toString));
    for (Link link : links) {
      widest.merge(List.of(link.a(), link.b()), link.bandwidthMbps(), Long::sum);
      widest.merge(List.of(link.b(), link.a()), link.bandwidthMbps(), Long::sum);
    }
    for (Vertex via : places) {
      for (Vertex a : places) {
        for (Vertex b : places) {
          long detour =
              Math.min(
                  widest.getOrDefault(List.of(a, via), 0L),
                  widest.getOrDefault(List.of(via, b), 0L));
          widest.merge(List.of(a, b), detour, Long::max);
        }
      }
    }
    return gang.stream()
        .flatMap(a ->
            gang.stream()
                .filter(b -> !b.equals(a))
                .map(b -> widest.getOrDefault(List.of(a, b), 0L)))
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  private static long degree(Interconnect net, Vertex vertex) {
    return net.links().stream()
        .filter(link -> link.a().equals(vertex) || link.b().equals(vertex))
        .count();
  }

  private static List<Vertex> vertices() {
    List<Vertex> all = new ArrayList<>(IntStream.range(0, GPUS).mapToObj(Gpu::new).toList());
    all.addAll(List.of(new Switch("s"), new Switch("t"), new Switch("u")));
    return all;
  }

  @Provide
  Arbitrary<List<Link>> links() {
    Arbitrary<Vertex> ends = Arbitraries.of(vertices());
    return Combinators.combine(ends, ends, Arbitraries.longs().between(0, 5))
        .as(Draft::new)
        .filter(Draft::joinsTwo)
        .map(draft -> new Link(draft.a, draft.b, draft.mbps))
        .list()
        .ofMaxSize(20);
  }

  private record Draft(Vertex a, Vertex b, long mbps) {
    boolean joinsTwo() {
      return !a.equals(b);
    }
  }

  @Provide
  Arbitrary<Set<Vertex>> gangs() {
    Arbitrary<Vertex> gpus = Arbitraries.integers().between(0, GPUS - 1).map(Gpu::new);
    return gpus.set().ofMaxSize(GPUS);
  }

  @Provide
  Arbitrary<List<DomainPath>> paths() {
    return Arbitraries.of("", "x", "y")
        .list()
        .ofSize(3)
        .map(DomainPath::new)
        .list()
        .ofMinSize(2)
        .ofMaxSize(6);
  }

  @Provide
  Arbitrary<List<Long>> bandwidths() {
    return Arbitraries.longs().between(0, 9).list().ofMaxSize(4);
  }
}

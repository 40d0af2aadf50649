package dev.muster.core.cycle;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.backfill.RuntimeHistory;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import dev.muster.core.state.Policies;
import dev.muster.core.state.WaitClass;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// A headroom rules out only gangs that no search would place.
class HeadroomTest {
  private static final GpuModelPreference MIXED = new GpuModelPreference(List.of(), true);

  private static final List<String> LEVELS = List.of("node", "rack", "block");

  private static boolean mayHold(Scene scene, GangDraft draft) {
    Cluster cluster = scene.cluster();
    Gang gang = waiting(draft);
    return new Headroom(cluster).mayHold(WaitClass.Need.of(cluster, gang, gang.members().values()));
  }

  private static boolean mayFitOnOne(Scene scene, GangDraft draft) {
    Cluster cluster = scene.cluster();
    Explanation why = new Explanation(0, scene.now(), 0, Optional.empty(), SortedTable.empty());
    WaitClass waits =
        WaitClass.of(cluster, RuntimeHistory.NONE, waiting(draft), Policies.DEFAULT, why)
            .with(new WaitClass.Age(scene.now(), draft.id()));
    return new WakeChecks().findsRoomForAllOnAny(waits, cluster.nodes().values());
  }

  /// Returns the gang as it waits on a full cluster.
  private static Gang waiting(GangDraft draft) {
    return Scene.of("b/r: full[#]").arrives(draft).gang(draft.id().name());
  }

  /// Holds are dropped first, since a headroom counts what is held as free.
  @Property(tries = 60)
  void gang_that_a_search_places_is_never_ruled_out(@ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    Random random = new Random(seed);
    for (int turn = 0; turn < 30; turn++) {
      workload.turn();
      GangDraft draft = drawn(random);
      if (isPlaced(workload.scene().cluster(), waiting(draft))) {
        assertThat(mayHold(workload.scene(), draft)).as("turn %d", turn).isTrue();
        assertThat(mayFitOnOne(workload.scene(), draft)).as("turn %d", turn).isTrue();
      }
    }
  }

  private static GangDraft drawn(Random random) {
    GangDraft draft = gang("asked").of(1 + random.nextInt(4), 1 + random.nextInt(5));
    draft = random.nextInt(3) == 0 ? draft.ofParts(1 + random.nextInt(4), 500) : draft;
    draft = random.nextInt(3) == 0 ? draft.within(LEVELS.get(random.nextInt(3))) : draft;
    return random.nextInt(3) == 0 ? draft.on(MIXED) : draft;
  }

  private static boolean isPlaced(Cluster cluster, Gang gang) {
    Cluster open = cluster;
    for (GangId holder : cluster.holds().keys()) {
      open = open.withoutHold(holder);
    }
    List<Member> members = gang.members().values().stream().sorted(Member.BY_RANK).toList();
    return PlacementSearch.search(open, gang, members, SortedKeys.empty())
        instanceof SearchResult.Found;
  }

  @Test
  void sum_of_free_gpus_may_be_just_enough() {
    Scene scene = Scene.of("b/r: n1[...#] n2[..##]");
    assertThat(mayHold(scene, gang("a").of(1, 3).of(2, 1))).isTrue();
    assertThat(mayHold(scene, gang("a").of(1, 3).of(3, 1))).isFalse();
  }

  @Test
  void free_gpus_on_too_many_nodes_hold_no_larger_members() {
    Scene scene = Scene.of("b/r: n1[...#] n2[...#]");
    assertThat(mayHold(scene, gang("a").of(2, 2))).isTrue();
    assertThat(mayHold(scene, gang("a").of(3, 2))).isFalse();
  }

  @Test
  void models_count_together_only_for_a_gang_that_accepts_a_mix() {
    Scene scene = Scene.of("b/r: n1:H100[..] n2:P4[..]");
    assertThat(mayHold(scene, gang("a").of(2, 2))).isFalse();
    assertThat(mayHold(scene, gang("a").of(2, 2).on(MIXED))).isTrue();
    assertThat(mayHold(scene, gang("a").of(3, 2).on(MIXED))).isFalse();
  }

  @Test
  void models_that_the_gang_does_not_accept_do_not_count() {
    Scene scene = Scene.of("b/r: n1:H100[..] n2:P4[....]");
    GpuModelPreference h100 = new GpuModelPreference(List.of("H100"), false);
    assertThat(mayHold(scene, gang("a").of(1, 2).on(h100))).isTrue();
    assertThat(mayHold(scene, gang("a").of(1, 4).on(h100))).isFalse();
  }

  @Test
  void shares_of_a_gpu_count_in_thousandths() {
    Scene scene = Scene.of("b/r: n1[.###]");
    assertThat(mayHold(scene, gang("a").ofParts(2, 500))).isTrue();
    assertThat(mayHold(scene, gang("a").ofParts(3, 500))).isFalse();
    assertThat(mayHold(Scene.of("b/r: n1[####]"), gang("a").ofParts(1, 500))).isFalse();
  }

  @Test
  void gang_without_gpus_is_never_ruled_out() {
    assertThat(mayHold(Scene.of("b/r: n1[####]"), gang("a").of(2, 0))).isTrue();
  }

  @Test
  void one_node_must_hold_the_whole_gang() {
    Scene scene = Scene.of("b/r: n1[...#] n2[..##]");
    assertThat(mayFitOnOne(scene, gang("a").of(2, 2))).isTrue();
    assertThat(mayFitOnOne(scene, gang("a").of(2, 2).within("node"))).isFalse();
    assertThat(mayFitOnOne(scene, gang("a").of(3, 1).within("node"))).isTrue();
    assertThat(mayFitOnOne(scene, gang("a").of(2, 2).minCount(1).within("node"))).isTrue();
    assertThat(mayFitOnOne(scene, gang("a").of(1, 1).of(1, 3).within("node"))).isTrue();
    assertThat(mayFitOnOne(scene, gang("a").cores(51).of(2, 0).within("node"))).isFalse();
  }

  @Test
  void one_domain_must_hold_the_whole_gang() {
    Scene scene = Scene.of("b/r1: n1[..]\nb/r2: n2[..]");
    assertThat(mayHold(scene, gang("a").of(2, 2).within("rack"))).isFalse();
    assertThat(mayHold(scene, gang("a").of(2, 2).within("block"))).isTrue();
    assertThat(mayHold(scene, gang("a").of(1, 2).within("rack"))).isTrue();
    assertThat(mayHold(scene, gang("a").ofParts(5, 500).within("rack"))).isFalse();
    assertThat(mayHold(scene, gang("a").ofParts(4, 500).within("rack"))).isTrue();
  }

  /// Of each node 4 GPUs are unused, and 2 of them are kept for the planned gang, which gets 6.
  private static Scene planned() {
    Scene scene = Scene.of("b/r: n1[........] n2[........]");
    scene.arrives(gang("first").onePerNode().of(2, 4).running(Duration.ofHours(1)));
    scene.arrives(gang("big").of(2, 6).running(Duration.ofHours(2))).after(Duration.ofSeconds(1));
    assertThat(scene.state("n1").withheld().gpus()).isEqualTo(2);
    assertThat(scene.state("n2").withheld().gpus()).isEqualTo(2);
    return scene;
  }

  @Test
  void capacity_held_for_others_counts_as_free() {
    assertThat(mayHold(planned(), gang("a").of(2, 4))).isTrue();
    assertThat(mayHold(planned(), gang("a").of(2, 3))).isTrue();
    assertThat(mayHold(planned(), gang("a").of(2, 4).within("rack"))).isTrue();
    assertThat(mayHold(planned(), gang("a").of(8, 1).within("rack"))).isTrue();
    assertThat(mayHold(planned(), gang("a").ofParts(16, 500).within("rack"))).isTrue();
  }

  @Test
  void capacity_held_for_others_counts_once() {
    assertThat(mayHold(planned(), gang("a").of(9, 1))).isFalse();
    assertThat(mayHold(planned(), gang("a").of(5, 2).within("rack"))).isFalse();
    assertThat(mayHold(planned(), gang("a").of(1, 3).of(6, 1))).isFalse();
    assertThat(mayHold(planned(), gang("a").ofParts(17, 500).within("rack"))).isFalse();
  }

  @Test
  void capacity_held_for_others_holds_no_larger_members() {
    assertThat(mayHold(planned(), gang("a").of(1, 5))).isFalse();
    assertThat(mayHold(planned(), gang("a").of(1, 5).within("rack"))).isFalse();
    assertThat(mayHold(planned(), gang("a").of(1, 3).of(1, 3).of(1, 2))).isTrue();
    assertThat(mayHold(planned(), gang("a").of(1, 4).of(1, 3))).isTrue();
  }
}

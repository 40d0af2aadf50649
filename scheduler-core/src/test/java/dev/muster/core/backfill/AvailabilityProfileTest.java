package dev.muster.core.backfill;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.WhatIf;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.RandomWorkload;
import dev.muster.core.kit.Scene;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// The profile never excludes a feasible placement. Each case is a seed, which jqwik prints.
class AvailabilityProfileTest {
  @Test
  void gang_waits_for_the_last_end_that_frees_its_nodes() {
    Scene scene =
        Scene.of("b/r: n1[........] n2[........]")
            .arrives(gang("c").of(1, 8).running(Duration.ofHours(3)))
            .arrives(gang("a").of(1, 4).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 3).running(Duration.ofHours(2)))
            .arrives(gang("big").of(2, 8));
    assertThat(profileOf("big", scene)).containsExactly(false, false, true);
  }

  @Test
  void free_gpus_in_two_racks_do_not_add_up_for_a_gang_that_needs_one() {
    Scene scene =
        Scene.of("b/r1: n1[....]\nb/r2: n2[....]")
            .arrives(gang("a").of(1, 4).running(Duration.ofHours(1)))
            .arrives(gang("b").of(1, 4).running(Duration.ofHours(2)))
            .arrives(gang("big").of(2, 4).within("rack"));
    assertThat(profileOf("big", scene)).containsExactly(false, false);
  }

  private static List<Boolean> profileOf(String name, Scene scene) {
    Gang gang = scene.gang(name);
    Cluster cluster = scene.cluster();
    List<ExpectedRelease> releases =
        ExpectedRelease.of(cluster, scene.state().history(), gang.id(), true);
    AvailabilityProfile profile = new AvailabilityProfile(cluster, gang, gang.waiting(), releases);
    List<Boolean> may = new ArrayList<>();
    for (int left = 1; left <= releases.size(); left++) {
      may.add(profile.mayHold(left));
    }
    return may;
  }

  @Property(tries = 20)
  void placements_excluded_by_the_profile_are_found_by_no_search(
      @ForAll @IntRange(min = 0) int seed) {
    RandomWorkload workload = new RandomWorkload(seed);
    for (int turn = 0; turn < 40; turn++) {
      workload.turn();
      for (GangId id : workload.scene().state().waiting().seats().keys()) {
        check(workload.scene(), workload.scene().cluster().gang(id));
      }
    }
  }

  private static void check(Scene scene, Gang gang) {
    Cluster cluster = scene.cluster();
    List<ExpectedRelease> releases =
        ExpectedRelease.of(cluster, scene.state().history(), gang.id(), true);
    List<Boolean> may = profileOf(gang.id().name(), scene);
    for (int left = 1; left <= releases.size(); left++) {
      if (!may.get(left - 1)) {
        Cluster later = without(cluster, releases.subList(0, left));
        assertThat(PlacementSearch.search(later, gang, gang.waiting(), SortedKeys.empty()))
            .as("%s once %d have left", gang.id(), left)
            .isInstanceOf(SearchResult.NotFound.class);
      }
    }
  }

  private static Cluster without(Cluster cluster, List<ExpectedRelease> releases) {
    TreeMap<NodeId, List<MemberId>> pods = new TreeMap<>();
    for (ExpectedRelease release : releases) {
      pods.computeIfAbsent(release.node(), _ -> new ArrayList<>()).add(release.pod());
    }
    return WhatIf.emptied(cluster, pods);
  }
}

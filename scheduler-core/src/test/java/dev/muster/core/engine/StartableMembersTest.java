package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Remedy;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/// An elastic gang starts with those of its members that can run, whatever their ranks.
class StartableMembersTest {
  private static GangDraft unlike(int minimum, int... gpus) {
    GangDraft draft = gang("a").minCount(minimum);
    for (int each : gpus) {
      draft.of(1, each);
    }
    return draft;
  }

  private static List<Integer> started(Scene scene) {
    return scene.gang("a").members().values().stream()
        .filter(Member::isBound)
        .map(member -> (int) member.rank())
        .sorted()
        .toList();
  }

  @Test
  void member_that_can_never_run_keeps_no_other_from_starting() {
    Scene scene = Scene.of("b/r: n1[....] n2[....]").arrives(unlike(1, 8, 1));
    assertThat(started(scene)).containsExactly(1);
  }

  @Test
  void member_that_finds_no_place_now_keeps_no_other_from_starting() {
    Scene scene = Scene.of("b/r: n1[##......]").arrives(unlike(1, 8, 1));
    assertThat(started(scene)).containsExactly(1);
  }

  @Test
  void lowest_ranks_start_among_those_that_can() {
    Scene scene = Scene.of("b/r: n1[........] n2[......##]").arrives(unlike(2, 8, 8, 4, 1));
    assertThat(started(scene)).startsWith(0, 2);
  }

  @Test
  void members_that_fit_only_alone_make_way_for_others() {
    Scene scene = Scene.of("b/r: n1[........] n2[....]").arrives(unlike(2, 8, 8, 8, 4));
    assertThat(started(scene)).containsExactly(0, 3);
  }

  /// One asks for more GPUs, the other for more cores: neither is the smaller one.
  @Test
  void members_of_which_none_is_the_smallest_start_in_any_mix_that_fits() {
    GangDraft draft = gang("a").minCount(2).of(1, 4).of(1, 4).ofParts(2, 500);
    Scene scene = Scene.of("b/r: n1[....]").arrives(draft);
    assertThat(started(scene)).hasSizeGreaterThanOrEqualTo(2);
  }

  /// Of 2^30 sets of members only 30 have the size of the minimum.
  @Test
  void many_kinds_of_members_are_searched_in_few_steps() {
    GangDraft draft = gang("a").minCount(29).of(1, 4);
    IntStream.range(0, 29).forEach(i -> draft.ofParts(1, 500 + i));
    assertThat(started(Scene.of("b/r: n1[....]").arrives(draft))).isEmpty();
  }

  @Test
  void running_gang_grows_by_a_member_that_can_run() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(unlike(1, 2, 8, 1));
    assertThat(started(scene)).containsExactly(0, 2);
  }

  @Test
  void maximum_counts_members_that_run() {
    GangDraft draft = unlike(1, 8, 2, 1).upTo(1);
    assertThat(started(Scene.of("b/r: n1[....]").arrives(draft))).containsExactly(1);
  }

  @Test
  void gang_that_waits_is_told_what_its_smallest_members_need() {
    Scene scene = Scene.of("b/r: n1[####]").arrives(unlike(1, 8, 2));
    assertThat(scene.whyNot("a"))
        .hasValueSatisfying(veto -> {
          assertThat(veto.remedy()).isEqualTo(Remedy.EVICTION);
          assertThat(((Veto.NotEnoughFree) veto).asked()).isEqualTo(2);
        });
  }

  @Test
  void gang_of_which_too_few_members_can_ever_run_is_rejected() {
    Scene scene = Scene.of("b/r: n1[....]").arrives(unlike(2, 8, 8, 1));
    assertThat(scene.whyNot("a").map(Veto::remedy)).contains(Remedy.NEVER);
  }

  @Test
  void capacity_for_its_smallest_member_wakes_the_gang() {
    Scene scene = Scene.of("b/r: n1[####] n2[####]").arrives(unlike(1, 4, 1));
    var less = Resources.of("nvidia.com/gpu", 3);
    scene.then(
        new Event.UnmanagedPodSeen(
            scene.now(), Scene.unmanagedPod("n1"), new NodeId("n1"), less, 3));
    assertThat(started(scene)).containsExactly(1);
  }

  @Test
  void quota_for_its_smallest_member_lets_the_gang_start() {
    Queues queues = Queues.of(List.of(Queue.of("ml").most(Quota.of(2))));
    Scene scene =
        Scene.of("b/r: n1[........]", Policies.of(queues, Duration.ofMinutes(2), Optional.empty()))
            .arrives(unlike(1, 4, 1));
    assertThat(started(scene)).containsExactly(1);
  }

  /// The oracle tries all sets of members on all nodes.
  @Property(tries = 300)
  void gang_starts_if_any_members_can_that_its_minimum_allows(
      @ForAll @Size(min = 1, max = 3) List<@IntRange(min = 0, max = 4) Integer> free,
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 6) Integer> gpus,
      @ForAll @IntRange(min = 1, max = 5) int least) {
    int minimum = Math.min(least, gpus.size());
    StringBuilder drawing = new StringBuilder("b/r:");
    for (int node = 0; node < free.size(); node++) {
      drawing.append(
          " n%d[%s]".formatted(node, ".".repeat(free.get(node)) + "#".repeat(4 - free.get(node))));
    }
    int[] each = gpus.stream().mapToInt(Integer::intValue).toArray();
    Scene scene = Scene.of(drawing.toString()).arrives(unlike(minimum, each));
    boolean can =
        IntStream.range(0, 1 << each.length)
            .filter(set -> Integer.bitCount(set) == minimum)
            .anyMatch(set -> packs(chosen(each, set), new ArrayList<>(free)));
    assertThat(started(scene).size() >= minimum).isEqualTo(can);
  }

  private static List<Integer> chosen(int[] each, int set) {
    return IntStream.range(0, each.length)
        .filter(i -> (set >> i & 1) == 1)
        .mapToObj(i -> each[i])
        .toList();
  }

  private static boolean packs(List<Integer> left, List<Integer> free) {
    if (left.isEmpty()) {
      return true;
    }
    for (int node = 0; node < free.size(); node++) {
      int rest = free.get(node) - left.getFirst();
      if (rest >= 0) {
        List<Integer> after = new ArrayList<>(free);
        after.set(node, rest);
        if (packs(left.subList(1, left.size()), after)) {
          return true;
        }
      }
    }
    return false;
  }
}

package dev.muster.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.Explanation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.WaitClass;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A search allowance is shared fairly by namespaces, and by queues in them.
class SearchAllowanceTest {
  private final List<WaitClass> woken = new ArrayList<>();

  private SearchAllowanceTest waits(int classes, String namespace, String queue) {
    for (int i = 0; i < classes; i++) {
      WaitClass.Key key = new WaitClass.Key(queue, 0, namespace + ' ' + queue + ' ' + i);
      WaitClass.Age age =
          new WaitClass.Age(
              Instant.EPOCH, new GangId(namespace, GangId.Origin.POD_GROUP, key.asks()));
      WaitClass.Need need = new WaitClass.Need(1, 0, 0, GpuModelPreference.ANY, 0, Resources.NONE);
      Explanation why = new Explanation(0, Instant.EPOCH, 0, Optional.empty(), SortedTable.empty());
      woken.add(new WaitClass(key, List.of(), need, false, SortedTable.empty(), why).with(age));
    }
    return this;
  }

  /// Returns the number of classes tried, by namespace and queue, if all fail.
  private Map<String, Integer> tried(Collection<WaitClass.Key> asked) {
    return tried(new SearchAllowance(asked));
  }

  private Map<String, Integer> tried(SearchAllowance allowance) {
    SortedTable<WaitClass.Key, WaitClass> classes = SortedTable.empty();
    LinkedHashSet<WaitClass.Key> keys = new LinkedHashSet<>();
    for (WaitClass waits : woken) {
      classes = classes.with(waits.key(), waits);
      keys.add(waits.key());
    }
    allowance.share(keys, classes);
    Map<String, Integer> tried = new TreeMap<>();
    for (WaitClass waits : woken) {
      if (allowance.permits(waits)) {
        allowance.failed(waits);
        tried.merge(waits.first().namespace() + '/' + waits.key().queue(), 1, Integer::sum);
      }
    }
    return tried;
  }

  @Test
  void few_classes_are_all_tried() {
    assertThat(waits(20, "a", "q").waits(12, "b", "q").tried(List.of()))
        .isEqualTo(Map.of("a/q", 20, "b/q", 12));
  }

  @Test
  void namespaces_with_few_classes_are_tried_beside_those_with_many() {
    assertThat(waits(1000, "a", "q").waits(2, "b", "q").waits(1000, "c", "q").tried(List.of()))
        .isEqualTo(Map.of("a/q", 15, "b/q", 2, "c/q", 15));
  }

  @Test
  void namespace_with_many_queues_gets_one_part() {
    for (int queue = 0; queue < 100; queue++) {
      waits(10, "a", "q" + queue);
    }
    Map<String, Integer> tried = waits(20, "b", "q").tried(List.of());
    assertThat(tried).containsEntry("b/q", 16);
    assertThat(tried.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(32);
  }

  @Test
  void queues_share_the_part_of_their_namespace() {
    assertThat(waits(1000, "a", "q").waits(1, "a", "r").tried(List.of()))
        .isEqualTo(Map.of("a/q", 31, "a/r", 1));
  }

  @Test
  void classes_of_many_namespaces_are_bounded_in_all() {
    for (int namespace = 0; namespace < 100; namespace++) {
      waits(10, "a" + namespace, "q");
    }
    assertThat(tried(List.of())).hasSize(32).allSatisfy((_, tried) -> assertThat(tried).isOne());
  }

  @Test
  void classes_for_which_a_tick_asks_do_not_count() {
    waits(100, "a", "q");
    List<WaitClass.Key> asked = woken.stream().map(WaitClass::key).limit(40).toList();
    assertThat(tried(asked)).isEqualTo(Map.of("a/q", 72));
  }

  @Test
  void later_rounds_have_what_is_left() {
    SearchAllowance allowance = new SearchAllowance(List.of());
    assertThat(waits(30, "a", "q").tried(allowance)).isEqualTo(Map.of("a/q", 30));
    assertThat(tried(allowance)).isEqualTo(Map.of("a/q", 2));
    assertThat(tried(allowance)).isEmpty();
  }
}

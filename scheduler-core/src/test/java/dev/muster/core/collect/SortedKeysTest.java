package dev.muster.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SortedKeysTest {
  @Property(tries = 200)
  void set_agrees_with_a_tree_set_after_any_operations(
      @ForAll @Size(max = 100) List<@IntRange(min = -60, max = 60) Integer> changes) {
    TreeSet<Integer> expected = new TreeSet<>();
    SortedKeys<Integer> keys = SortedKeys.empty();
    for (int change : changes) {
      if (change < 0) {
        expected.remove(-change);
        keys = keys.without(-change);
      } else {
        expected.add(change);
        keys = keys.with(change);
      }
      assertThat(keys.contains(Math.abs(change))).isEqualTo(change >= 0);
    }
    assertThat(keys.asList()).isEqualTo(new ArrayList<>(expected));
    assertThat(keys).containsExactlyElementsOf(expected).isEqualTo(SortedKeys.of(expected));
    assertThat(keys.size()).isEqualTo(expected.size());
    assertThat(keys.isEmpty()).isEqualTo(expected.isEmpty());
  }

  @Test
  void change_without_effect_returns_the_same_set() {
    SortedKeys<String> keys = SortedKeys.of(List.of("b", "a"));
    assertThat(keys.with("a")).isSameAs(keys);
    assertThat(keys.without("c")).isSameAs(keys);
    assertThat(keys.withAll(List.of("a", "b"))).isSameAs(keys);
    assertThat(keys).hasToString("[a, b]").hasSameHashCodeAs(SortedKeys.of(List.of("a", "b")));
  }
}

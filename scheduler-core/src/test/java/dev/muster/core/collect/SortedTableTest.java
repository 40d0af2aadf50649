package dev.muster.core.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SortedTableTest {
  @Property(tries = 200)
  void a_table_agrees_with_a_tree_map_after_any_puts_and_removals(
      @ForAll @Size(max = 300) List<@IntRange(min = -60, max = 60) Integer> changes) {
    TreeMap<Integer, String> expected = new TreeMap<>();
    SortedTable<Integer, String> table = SortedTable.empty();
    for (int change : changes) {
      if (change < 0) {
        expected.remove(-change);
        table = table.without(-change);
      } else {
        expected.put(change, "v" + change);
        table = table.with(change, "v" + change);
      }
    }
    assertThat(table.keys()).isEqualTo(new ArrayList<>(expected.keySet()));
    assertThat(table.values()).isEqualTo(new ArrayList<>(expected.values()));
    assertThat(table.size()).isEqualTo(expected.size());
  }

  @Property(tries = 100)
  void the_order_of_insertion_leaves_no_trace(@ForAll List<Integer> keys) {
    SortedTable<Integer, Integer> forwards = SortedTable.of(keys, key -> key);
    SortedTable<Integer, Integer> backwards = SortedTable.of(keys.reversed(), key -> key);
    assertThat(forwards).isEqualTo(backwards);
  }

  @Property(tries = 200)
  void changes_are_found_whatever_was_put_or_removed_between(
      @ForAll @Size(max = 40) List<@IntRange(min = 1, max = 30) Integer> first,
      @ForAll @Size(max = 20) List<@IntRange(min = -30, max = 30) Integer> then) {
    SortedTable<Integer, String> before = SortedTable.empty();
    for (int key : first) {
      before = before.with(key, "old");
    }
    SortedTable<Integer, String> after = before;
    for (int key : then) {
      after = key <= 0 ? after.without(-key) : after.with(key, "new");
    }
    boolean expected = false;
    for (int key : after.keys()) {
      expected |= before.contains(key) && after.get(key).equals(Optional.of("new"));
    }
    assertThat(after.anyChanged(before, (old, now) -> true)).isEqualTo(expected);
  }

  @Test
  void a_change_leaves_the_old_table_as_it_was() {
    SortedTable<String, Integer> before = SortedTable.<String, Integer>empty().with("a", 1);
    SortedTable<String, Integer> after = before.with("a", 2).with("b", 3);
    assertThat(before.toString()).isEqualTo("{a=1}");
    assertThat(after.toString()).isEqualTo("{a=2, b=3}");
  }
}

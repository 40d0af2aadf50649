package dev.muster.core.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.collect.SortedTable.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SortedTableTest {
  @Property(tries = 200)
  void table_agrees_with_a_tree_map_after_any_operations(
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
      for (int asked : List.of(Math.abs(change), Math.abs(change) / 2)) { // it remembers answers
        assertThat(table.get(asked)).isEqualTo(Optional.ofNullable(expected.get(asked)));
        assertThat(table.contains(asked)).isEqualTo(expected.containsKey(asked));
      }
    }
    assertThat(table.keys()).isEqualTo(new ArrayList<>(expected.keySet()));
    assertThat(table.values()).isEqualTo(new ArrayList<>(expected.values()));
    assertThat(table.size()).isEqualTo(expected.size());
  }

  @Test
  void last_accessed_entry_is_found_without_a_search() {
    AtomicInteger compared = new AtomicInteger();
    SortedTable<Counted, String> table = SortedTable.empty();
    for (int i = 0; i < 1_000; i++) {
      table = table.with(new Counted(i, compared), "v");
    }
    compared.set(0);
    table.get(new Counted(999, compared));
    assertThat(compared.get()).isZero();
    table.get(new Counted(400, compared));
    compared.set(0);
    table.get(new Counted(400, compared));
    assertThat(compared.get()).isZero();
  }

  @Property(tries = 200)
  void marked_values_are_found_in_order_after_any_operations(
      @ForAll @Size(max = 100) List<@IntRange(min = -60, max = 60) Integer> changes,
      @ForAll @IntRange(min = 1, max = 0x7fff) int sought) {
    SortedTable<Integer, Integer> table = SortedTable.empty();
    for (int change : changes) {
      table = change < 0 ? table.without(-change) : table.with(change, change);
      List<Integer> expected = new ArrayList<>();
      for (int value : table) {
        if ((mark(value) & sought) != 0) {
          expected.add(value);
        }
      }
      assertThat(table.marked(sought, SortedTableTest::mark)).containsExactlyElementsOf(expected);
    }
  }

  private static int mark(int value) {
    return 1 << value % 15;
  }

  @Test
  void one_marked_value_of_many_is_found_without_visiting_others() {
    SortedTable<Integer, Integer> table = SortedTable.empty();
    for (int i = 0; i < 1_000; i++) {
      table = table.with(i, i == 700 ? 2 : 1);
    }
    AtomicInteger asked = new AtomicInteger();
    ToIntFunction<Integer> marks =
        value -> {
          asked.incrementAndGet();
          return value;
        };
    table.marked(2, marks).forEach(_ -> {}); // now it is known what lies where
    asked.set(0);
    table = table.with(300, 2);
    assertThat(table.marked(2, marks)).hasSize(2);
    assertThat(asked.get()).isLessThan(60);
  }

  @Property(tries = 100)
  void order_of_insertion_leaves_no_trace(@ForAll List<Integer> keys) {
    SortedTable<Integer, Integer> forwards = SortedTable.of(keys, key -> key);
    SortedTable<Integer, Integer> backwards = SortedTable.of(keys.reversed(), key -> key);
    assertThat(forwards).isEqualTo(backwards);
  }

  @Property(tries = 300)
  void differences_are_found_after_any_operations(
      @ForAll @Size(max = 60) List<@IntRange(min = 1, max = 50) Integer> first,
      @ForAll @Size(max = 30) List<@IntRange(min = -50, max = 50) Integer> then) {
    SortedTable<Integer, String> before = SortedTable.empty();
    for (int key : first) {
      before = before.with(key, "old");
    }
    SortedTable<Integer, String> after = before;
    for (int key : then) {
      after = key <= 0 ? after.without(-key) : after.with(key, "new");
    }
    List<Difference<Integer, String>> expected = new ArrayList<>();
    for (int key = 1; key <= 50; key++) {
      if (!before.get(key).equals(after.get(key))) {
        expected.add(new Difference<>(key, before.get(key), after.get(key)));
      }
    }
    assertThat(after.differences(before)).isEqualTo(expected);
    assertThat(after.equals(before)).isEqualTo(expected.isEmpty());
  }

  @Test
  void shared_parts_of_two_tables_are_not_visited() {
    AtomicInteger compared = new AtomicInteger();
    SortedTable<Counted, String> before = SortedTable.empty();
    for (int i = 0; i < 100_000; i++) {
      before = before.with(new Counted(i, compared), "old");
    }
    SortedTable<Counted, String> after = before.without(new Counted(40_000, compared));
    compared.set(0);
    assertThat(after.differences(before)).hasSize(1);
    assertThat(compared.get()).isLessThan(100);
  }

  /// A number that counts how often it is compared.
  private record Counted(int number, AtomicInteger compared) implements Comparable<Counted> {
    @Override
    public int compareTo(Counted other) {
      compared.incrementAndGet();
      return Integer.compare(number, other.number);
    }
  }

  @Test
  void keys_values_and_entries_are_lists_by_index() {
    SortedTable<String, Integer> table =
        SortedTable.<String, Integer>empty().with("b", 2).with("a", 1).with("c", 3);
    assertThat(table.keys().get(1)).isEqualTo("b");
    assertThat(table.values().subList(1, 3)).containsExactly(2, 3);
    assertThat(table.entries().getFirst()).isEqualTo(new SortedTable.Entry<>("a", 1));
    assertThatThrownBy(() -> table.keys().get(3)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void change_keeps_the_old_table() {
    SortedTable<String, Integer> before = SortedTable.<String, Integer>empty().with("a", 1);
    SortedTable<String, Integer> after = before.with("a", 2).with("b", 3);
    assertThat(before.toString()).isEqualTo("{a=1}");
    assertThat(after.toString()).isEqualTo("{a=2, b=3}");
  }
}

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

class LookupTableTest {
  /// A number whose hash agrees with that of others in all bits or in the first ones.
  private record Key(int number) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return Integer.compare(number, other.number);
    }

    @Override
    public int hashCode() {
      return number % 2 == 0 ? number % 8 : number << 16;
    }
  }

  @Property(tries = 500)
  void a_table_agrees_with_a_tree_map_after_any_puts_and_removals(
      @ForAll @Size(max = 300) List<@IntRange(min = -60, max = 60) Integer> changes) {
    TreeMap<Key, String> expected = new TreeMap<>();
    LookupTable<Key, String> table = LookupTable.empty();
    for (int change : changes) {
      Key key = new Key(Math.abs(change));
      if (change < 0) {
        expected.remove(key);
        table = table.without(key);
      } else {
        String value = "v" + table.size();
        expected.put(key, value);
        table = table.with(key, value);
      }
    }
    for (int number = 0; number <= 60; number++) {
      Key key = new Key(number);
      assertThat(table.get(key)).isEqualTo(Optional.ofNullable(expected.get(key)));
    }
    assertThat(table.sorted().keys()).isEqualTo(new ArrayList<>(expected.keySet()));
    assertThat(table.size()).isEqualTo(expected.size());
  }

  @Property(tries = 500)
  void neither_the_order_of_insertion_nor_what_was_removed_leaves_a_trace(
      @ForAll @Size(max = 40) List<@IntRange(min = 0, max = 60) Integer> kept,
      @ForAll @Size(max = 40) List<@IntRange(min = 61, max = 120) Integer> removed) {
    LookupTable<Key, Integer> plain = LookupTable.empty();
    LookupTable<Key, Integer> other = LookupTable.empty();
    for (int number : kept) {
      plain = plain.with(new Key(number), number);
    }
    for (int number : removed) {
      other = other.with(new Key(number), number);
    }
    for (int number : kept.reversed()) {
      other = other.with(new Key(number), number);
    }
    for (int number : removed) {
      other = other.without(new Key(number));
    }
    assertThat(other).isEqualTo(plain).hasSameHashCodeAs(plain);
    assertThat(LookupTable.of(plain.sorted())).isEqualTo(plain);
  }

  @Test
  void tables_of_other_values_are_not_equal() {
    LookupTable<String, Integer> one = LookupTable.<String, Integer>empty().with("a", 1);
    assertThat(one.with("a", 2)).isNotEqualTo(one);
    assertThat(one.with("b", 1)).isNotEqualTo(one);
    assertThat(one.without("a")).isNotEqualTo(one);
  }

  @Test
  void a_change_leaves_the_old_table_as_it_was() {
    LookupTable<String, Integer> before = LookupTable.<String, Integer>empty().with("a", 1);
    LookupTable<String, Integer> after = before.with("a", 2).with("b", 3);
    assertThat(before.toString()).isEqualTo("{a=1}");
    assertThat(after.toString()).isEqualTo("{a=2, b=3}");
  }

  @Test
  void what_changes_nothing_gives_the_same_table() {
    LookupTable<String, String> table = LookupTable.<String, String>empty().with("a", "v");
    assertThat(table.with("a", "v")).isSameAs(table);
    assertThat(table.without("b")).isSameAs(table);
    assertThat(table.with("b", Optional.empty())).isSameAs(table);
  }
}

package dev.muster.server.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/// Turns are shared equally among addresses, and each item gets its turn.
class FairQueueTest {
  private static final int DEAREST = 9;

  /// @param number position among all items
  record Item(String address, int number, int cost) {}

  private final FairQueue<Item> queue = new FairQueue<>(ArrayDeque::new, Item::cost);

  private void add(String address, int number, int cost) {
    queue.add(address, new Item(address, number, cost));
  }

  private Item next() {
    return Objects.requireNonNull(queue.poll());
  }

  private List<Item> drain() {
    List<Item> served = new ArrayList<>();
    for (Item next = queue.poll(); next != null; next = queue.poll()) {
      served.add(next);
    }
    return served;
  }

  @Provide
  Arbitrary<List<Item>> items() {
    Arbitrary<Item> item =
        Combinators.combine(
                Arbitraries.of("a", "b", "c"),
                Arbitraries.integers().between(0, 1_000_000),
                Arbitraries.integers().between(1, DEAREST))
            .as(Item::new);
    return item.list().ofMaxSize(60);
  }

  /// The bound of start-time fair queueing: the dearest item of each.
  @Property
  void addresses_that_wait_are_served_equal_costs(@ForAll("items") List<Item> items) {
    items.forEach(item -> queue.add(item.address(), item));
    Map<String, Integer> left = new HashMap<>();
    items.forEach(item -> left.merge(item.address(), 1, Integer::sum));
    Map<String, Integer> served = new HashMap<>();
    left.keySet().forEach(address -> served.put(address, 0));
    for (Item next : drain()) {
      served.merge(next.address(), next.cost(), Integer::sum);
      if (left.merge(next.address(), -1, Integer::sum) == 0) {
        break; // one waits no longer
      }
      int most = served.values().stream().mapToInt(cost -> cost).max().orElse(0);
      int least = served.values().stream().mapToInt(cost -> cost).min().orElse(0);
      assertThat(most - least).isLessThanOrEqualTo(2 * DEAREST);
    }
  }

  @Property
  void each_item_is_served_once_in_the_order_of_its_address(
      @ForAll("items") List<Item> items, @ForAll List<Boolean> polls) {
    List<Item> served = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      Item numbered = new Item(items.get(i).address(), i, items.get(i).cost());
      queue.add(numbered.address(), numbered);
      if (i < polls.size() && polls.get(i)) {
        served.add(next());
      }
    }
    served.addAll(drain());
    assertThat(served).hasSameSizeAs(items).doesNotHaveDuplicates();
    for (String address : List.of("a", "b", "c")) {
      assertThat(served.stream().filter(item -> item.address().equals(address)))
          .extracting(Item::number)
          .isSorted();
    }
  }

  @Test
  void address_that_begins_late_has_no_claim_for_the_time_before() {
    for (int i = 0; i < 100; i++) {
      add("early", i, 1);
    }
    for (int i = 0; i < 50; i++) {
      queue.poll();
    }
    for (int i = 0; i < 100; i++) {
      add("late", i, 1);
    }
    assertThat(drain().stream().limit(20).filter(item -> item.address().equals("late")))
        .hasSize(10);
  }

  /// Else an address that sends one item after the other would never leave a turn.
  @Test
  void address_that_sends_one_by_one_gets_its_share_only() {
    add("flood", 0, 1);
    add("flood", 1, 1);
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      add("one by one", i, 1);
      served.add(next().address());
    }
    assertThat(served).filteredOn("flood"::equals).hasSize(2);
  }

  /// No flood of new addresses keeps an item waiting.
  @Test
  void ever_new_addresses_leave_a_turn() {
    add("waiting", 0, 1);
    add("waiting", 1, 1);
    int turns = 0;
    for (Item next = next(); next.number() != 1; next = next()) {
      turns++;
      add("10.0.0." + turns, 0, 1);
      add("10.0.0." + turns, 0, 1);
    }
    assertThat(turns).isLessThan(2_000);
  }

  /// The cost of a service may be known only at its end.
  @Test
  void cost_that_is_charged_later_counts_as_one_that_was_stated() {
    for (int i = 0; i < 20; i++) {
      add("dear", i, 1);
      add("cheap", i, 1);
    }
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 22; i++) {
      String address = next().address();
      served.add(address);
      queue.charge(address.equals("dear") ? 9 : 0);
    }
    assertThat(served).filteredOn("dear"::equals).hasSizeBetween(2, 3);
  }

  @Test
  void item_that_is_removed_is_never_served() {
    Item gone = new Item("a", 0, 1);
    queue.add("a", gone);
    add("a", 1, 1);
    queue.remove("a", gone);
    assertThat(drain()).extracting(Item::number).containsExactly(1);
  }

  @Test
  void item_beyond_a_thousand_addresses_can_be_removed() {
    for (int i = 0; i < 1_000; i++) {
      add("10.0.0." + i, i, 1);
    }
    Item gone = new Item("last", 0, 1);
    queue.add("last", gone);
    queue.remove("last", gone);
    assertThat(queue.size()).isEqualTo(1_000);
  }
}

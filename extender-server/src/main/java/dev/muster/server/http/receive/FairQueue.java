package dev.muster.server.http.receive;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Items that wait for their turn, in an order that is fair to the addresses that sent them.
///
/// Each address has a line of its own, and turns are shared so that waiting addresses are served
/// equal costs. So an address that sends a flood delays its own items, and those of another by
/// about their own cost. This is start-time fair queueing (P. Goyal, H. Vin and H. Cheng, 1996): a
/// line has a tag, which grows by the cost of each item that is served. The line of the least tag
/// is next. A line that begins has the tag of the line that was served last.
///
/// Addresses beyond the first thousand that wait share a line. Not safe for use by many threads.
///
/// @param <T> items that differ; equal ones would be confused when one is removed
final class FairQueue<T> {
  private static final int MOST_LINES = 1_000;
  private static final String OTHERS = "";

  private final Map<String, Line<T>> lines = new HashMap<>();
  private final PriorityQueue<Line<T>> order =
      new PriorityQueue<>(
          Comparator.comparingLong((Line<T> line) -> line.tag)
              .thenComparingLong(line -> line.number));
  private final Supplier<Queue<T>> line;
  private final ToLongFunction<T> cost;
  private long tag; // of the line that was served last
  private long numbers;
  private int size;

  /// @param line returns an empty queue for the items of one address
  /// @param cost returns the cost of serving an item; positive
  FairQueue(Supplier<Queue<T>> line, ToLongFunction<T> cost) {
    this.line = line;
    this.cost = cost;
  }

  /// The items of an address. It stays without items until all other lines have its tag.
  private static final class Line<T> {
    private final String address;
    private final long number;
    private final Queue<T> items;
    private long tag;

    private Line(String address, long number, Queue<T> items, long tag) {
      this.address = address;
      this.number = number;
      this.items = items;
      this.tag = tag;
    }
  }

  void add(String address, T item) {
    String name = lines.containsKey(address) || lines.size() < MOST_LINES ? address : OTHERS;
    lines.computeIfAbsent(name, this::begin).items.add(item);
    size++;
  }

  private Line<T> begin(String address) {
    Line<T> begun = new Line<>(address, numbers++, line.get(), tag);
    order.add(begun);
    return begun;
  }

  /// Removes the next item and returns it; null if none waits.
  @Nullable T poll() {
    while (size > 0) {
      Line<T> next = order.remove();
      tag = next.tag;
      T item = next.items.poll();
      if (item != null) {
        next.tag += cost.applyAsLong(item);
        order.add(next);
        size--;
        return item;
      }
      lines.remove(next.address);
    }
    return null;
  }

  /// Removes an item of the address, if it still waits.
  void remove(String address, T item) {
    if (removed(lines.get(address), item) || removed(lines.get(OTHERS), item)) {
      size--;
    }
  }

  private static <T> boolean removed(@Nullable Line<T> from, T item) {
    return from != null && from.items.remove(item);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /// Returns the number of items.
  int size() {
    return size;
  }
}

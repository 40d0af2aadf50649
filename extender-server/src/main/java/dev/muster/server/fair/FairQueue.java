package dev.muster.server.fair;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Items that wait for their turn, in an order that is fair to the flows that sent them.
///
/// Each flow has a line of its own, and turns are shared so that waiting flows are served equal
/// costs. So a flow that sends a flood delays its own items, and those of another by about their
/// own cost. This is start-time fair queueing (P. Goyal, H. Vin and H. Cheng, 1996): a line has a
/// tag, which grows by the cost of each item that is served. The line of the least tag is next. A
/// line that begins has the tag of the line that was served last.
///
/// A cost that is known only after the service is added by [#charge].
///
/// Flows beyond the first thousand that wait share a line. Not safe for use by many threads.
///
/// @param <T> items that differ; equal ones would be confused when one is removed
public final class FairQueue<T> {
  private static final int MOST_LINES = 1_000;
  private static final String OTHERS = "";

  private final Map<String, Line<T>> lines = new HashMap<>();
  private final PriorityQueue<Line<T>> order =
      new PriorityQueue<>(
          Comparator.comparingLong((Line<T> line) -> line.tag)
              .thenComparingLong(line -> line.number));
  private final Supplier<Queue<T>> line;
  private final ToLongFunction<T> cost;
  private @Nullable Line<T> served; // the last one; it is in no order until the next poll
  private long tag; // of the line that was served last
  private long numbers;
  private int size;

  /// @param line returns an empty queue for the items of one flow
  /// @param cost returns the cost of serving an item; positive
  public FairQueue(Supplier<Queue<T>> line, ToLongFunction<T> cost) {
    this.line = line;
    this.cost = cost;
  }

  /// The items of a flow. It stays without items until all other lines have its tag.
  private static final class Line<T> {
    private final String flow;
    private final long number;
    private final Queue<T> items;
    private long tag;

    private Line(String flow, long number, Queue<T> items, long tag) {
      this.flow = flow;
      this.number = number;
      this.items = items;
      this.tag = tag;
    }
  }

  public void add(String flow, T item) {
    String name = lines.containsKey(flow) || lines.size() < MOST_LINES ? flow : OTHERS;
    lines.computeIfAbsent(name, this::begin).items.add(item);
    size++;
  }

  private Line<T> begin(String flow) {
    Line<T> begun = new Line<>(flow, numbers++, line.get(), tag);
    order.add(begun);
    return begun;
  }

  /// Removes the next item and returns it; null if none waits.
  public @Nullable T poll() {
    if (served != null) {
      order.add(served);
      served = null;
    }
    while (size > 0) {
      Line<T> next = order.remove();
      tag = next.tag;
      T item = next.items.poll();
      if (item != null) {
        next.tag += cost.applyAsLong(item);
        served = next;
        size--;
        return item;
      }
      lines.remove(next.flow);
    }
    return null;
  }

  /// Adds to the cost of the item that [#poll] returned last, if it returned one.
  ///
  /// @param more not negative
  public void charge(long more) {
    if (served != null) {
      served.tag += more;
    }
  }

  /// Removes an item of the flow, if it still waits.
  public void remove(String flow, T item) {
    if (removed(lines.get(flow), item) || removed(lines.get(OTHERS), item)) {
      size--;
    }
  }

  private static <T> boolean removed(@Nullable Line<T> from, T item) {
    return from != null && from.items.remove(item);
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /// Returns the number of items.
  public int size() {
    return size;
  }
}

package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadingSlotsTest {
  private final ReadingSlots slots = new ReadingSlots();
  private final List<String> events = new ArrayList<>();

  private ReadingSlots.Body enter(String name, long size) {
    return slots.enter(
        size,
        new ReadingSlots.Arrival() {
          @Override
          public void read() {
            events.add(name + " reads");
          }

          @Override
          public void giveUp() {
            events.add(name + " is refused");
          }
        });
  }

  private List<ReadingSlots.Body> fill() {
    List<ReadingSlots.Body> bodies = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      bodies.add(enter("b" + i, 1_000_000));
    }
    events.clear();
    return bodies;
  }

  @Test
  void body_is_read_at_once_while_slots_are_free() {
    enter("first", 1_000_000);

    assertThat(events).containsExactly("first reads");
  }

  @Test
  void smallest_waiting_body_gets_the_next_slot() {
    List<ReadingSlots.Body> bodies = fill();
    enter("large", 900_000);
    enter("small", 100_000);

    slots.leave(bodies.getFirst());

    assertThat(events).containsExactly("small reads");
  }

  @Test
  void body_that_leaves_the_queue_is_never_read() {
    List<ReadingSlots.Body> bodies = fill();
    ReadingSlots.Body gone = enter("gone", 100_000);
    slots.leave(gone);

    slots.leave(bodies.getFirst());

    assertThat(events).isEmpty();
  }

  @Test
  void slow_body_is_refused_when_another_waits() throws InterruptedException {
    List<ReadingSlots.Body> bodies = fill();
    bodies.stream().skip(1).forEach(slots::complete);
    enter("waiting", 100_000);
    Thread.sleep(ReadingSlots.SLICE_MILLIS + 10);

    slots.check();

    assertThat(events).containsExactly("b0 is refused");
  }

  @Test
  void slow_body_stays_when_nobody_waits() throws InterruptedException {
    fill();
    Thread.sleep(ReadingSlots.SLICE_MILLIS + 10);

    slots.check();

    assertThat(events).isEmpty();
  }
}

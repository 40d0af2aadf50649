package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadingSlotsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final ReadingSlots slots = new ReadingSlots(nanos::get);
  private final List<String> events = new ArrayList<>();

  private ReadingSlots.Body enter(String name, long size) {
    return enter("10.0.0.1", name, size);
  }

  private ReadingSlots.Body enter(String address, String name, long size) {
    return slots.enter(
        address,
        size,
        new ReadingSlots.Arrival() {
          @Override
          public void read() {
            events.add(name + " reads");
          }

          @Override
          public void lose() {
            events.add(name + " loses");
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

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void body_is_read_at_once_while_slots_are_free() {
    enter("first", 1_000_000);

    assertThat(events).containsExactly("first reads");
  }

  @Test
  void short_body_precedes_a_long_one_of_the_same_time() {
    List<ReadingSlots.Body> bodies = fill();
    enter("large", 900_000);
    enter("small", 100_000);

    slots.leave(bodies.getFirst());

    assertThat(events).containsExactly("small reads");
  }

  @Test
  void body_of_a_second_ago_precedes_shorter_ones() {
    List<ReadingSlots.Body> bodies = fill();
    enter("large", 900_000);
    pass(Duration.ofSeconds(1));
    enter("small", 65_537);

    slots.leave(bodies.getFirst());

    assertThat(events).containsExactly("large reads");
  }

  /// One address that sends much leaves the next slot to another.
  @Test
  void next_slot_goes_to_the_address_that_had_none() {
    List<ReadingSlots.Body> bodies = fill();
    for (int i = 0; i < 100; i++) {
      enter("flood", 100_000);
    }
    enter("10.0.0.2", "other", 1_000_000);

    slots.leave(bodies.getFirst());

    assertThat(events).containsExactly("other reads");
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
  void slow_body_loses_its_slot_to_another() {
    List<ReadingSlots.Body> bodies = fill();
    bodies.stream().skip(1).forEach(slots::complete);
    enter("waiting", 100_000);
    pass(Duration.ofMillis(ReadingSlots.LOOK_MILLIS));

    slots.check();

    assertThat(events).containsExactly("b0 loses", "waiting reads");
  }

  @Test
  void fast_body_keeps_its_slot() {
    List<ReadingSlots.Body> bodies = fill();
    bodies.forEach(body -> slots.deliver(body, Intake.SMALL));
    enter("waiting", 100_000);
    pass(Duration.ofMillis(ReadingSlots.LOOK_MILLIS));

    slots.check();

    assertThat(events).isEmpty();
  }

  @Test
  void slow_body_stays_when_nobody_waits() {
    fill();
    pass(Duration.ofMinutes(1));

    slots.check();

    assertThat(events).isEmpty();
  }

  /// A thousand clients that deliver just enough to wait for a slot cost others little.
  @Test
  void silent_bodies_delay_others_for_seconds_at_most() {
    for (int i = 0; i < 1_000; i++) {
      enter("silent", 1_000_000);
    }
    enter("honest", 1_000_000);
    int looks = 0;
    while (!events.contains("honest reads")) {
      pass(Duration.ofMillis(ReadingSlots.LOOK_MILLIS));
      slots.check();
      looks++;
    }

    assertThat(looks * ReadingSlots.LOOK_MILLIS).isLessThan(1_500);
  }
}

package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// One write of a tenant causes few reads of objects in a second, and short ones.
class RereadQueueTest {
  private static final int MANY = 5 * RereadQueue.IN_A_SECOND;
  private static final Set<String> ALL =
      IntStream.range(0, MANY).mapToObj(i -> "ml/p" + i).collect(Collectors.toSet());

  private final List<String> read = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong();
  private ToLongFunction<String> costs = _ -> 0;
  private final RereadQueue queue = new RereadQueue(this::read, nanos::get);

  private void read(String key) {
    read.add(key);
    nanos.addAndGet(costs.applyAsLong(key));
  }

  /// Passes the seconds in which all objects are read.
  private void passSeconds() {
    for (int i = 0; i <= MANY / RereadQueue.IN_A_SECOND; i++) {
      queue.next();
    }
  }

  @Test
  void objects_beyond_the_limit_wait_for_the_next_seconds() {
    queue.add(ALL);
    assertThat(read).hasSize(RereadQueue.IN_A_SECOND);

    queue.next();
    assertThat(read).hasSize(2 * RereadQueue.IN_A_SECOND);
  }

  @Test
  void all_objects_are_read_in_the_end() {
    queue.add(ALL);
    passSeconds();

    assertThat(read).containsExactlyInAnyOrderElementsOf(ALL);
  }

  @Test
  void object_that_changes_often_adds_no_reads() {
    IntStream.range(0, 20).forEach(_ -> queue.add(ALL));
    assertThat(read).hasSize(RereadQueue.IN_A_SECOND);

    passSeconds();
    assertThat(read).hasSizeLessThanOrEqualTo(MANY + RereadQueue.IN_A_SECOND);
  }

  @Test
  void waiting_objects_are_read_together_before_scheduling_starts() {
    queue.add(ALL);
    queue.readAll();

    assertThat(read).containsExactlyInAnyOrderElementsOf(ALL);
  }

  /// Otherwise a tenant that changes an object all the time would keep scheduling from its start.
  @Test
  void object_that_changes_while_all_are_read_waits() {
    List<RereadQueue> changing = new ArrayList<>();
    RereadQueue queue =
        new RereadQueue(key -> {
          read.add(key);
          changing.forEach(each -> each.add(key));
        });
    queue.add(ALL);
    read.clear();
    changing.add(queue);
    queue.readAll();

    assertThat(read).hasSize(MANY - RereadQueue.IN_A_SECOND).doesNotHaveDuplicates();
  }

  @Test
  void other_namespace_is_read_among_the_first() {
    queue.add(ALL);
    read.clear();
    queue.add("other/p");
    queue.next();

    assertThat(read.indexOf("other/p")).isBetween(0, 2);
  }

  @Test
  void objects_that_take_long_wait_for_the_next_seconds() {
    costs = _ -> RereadQueue.NANOS_IN_A_SECOND / 10;
    queue.add(ALL);
    assertThat(read).hasSize(10);

    queue.next();
    assertThat(read).hasSize(20);
  }

  @Test
  void one_object_is_read_in_a_second_however_long_it_takes() {
    costs = _ -> 5 * RereadQueue.NANOS_IN_A_SECOND;
    queue.add(ALL);
    queue.next();

    assertThat(read).hasSize(2);
  }

  @Test
  void objects_that_take_long_delay_no_other_namespace() {
    costs = key -> RereadQueue.NANOS_IN_A_SECOND / (key.startsWith("ml/") ? 4 : 1_000);
    queue.add(ALL);
    read.clear();
    IntStream.range(0, 50).forEach(i -> queue.add("other/p" + i));
    queue.next();

    assertThat(read).filteredOn(key -> key.startsWith("other/")).hasSize(50);
  }

  /// The time of a read is that of one object only.
  @Test
  void object_that_is_added_by_a_read_is_read_after_it() {
    List<String> ended = new ArrayList<>();
    List<RereadQueue> queues = new ArrayList<>();
    queues.add(
        new RereadQueue(key -> {
          if (key.equals("ml/first")) {
            queues.getFirst().add("ml/second");
          }
          ended.add(key);
        }));
    queues.getFirst().add("ml/first");

    assertThat(ended).containsExactly("ml/first", "ml/second");
  }

  @Test
  void failed_read_does_not_stop_the_others() {
    List<String> tried = new ArrayList<>();
    RereadQueue queue =
        new RereadQueue(key -> {
          tried.add(key);
          if (tried.size() == 1) {
            throw new IllegalStateException("on purpose");
          }
        });
    assertThatThrownBy(() -> queue.add(Set.of("ml/a", "ml/b")))
        .isInstanceOf(IllegalStateException.class);
    queue.next();

    assertThat(tried).containsExactlyInAnyOrder("ml/a", "ml/b");
  }

  @Test
  void failed_read_of_all_leaves_the_others_waiting() {
    List<String> tried = new ArrayList<>();
    RereadQueue queue =
        new RereadQueue(key -> {
          tried.add(key);
          if (tried.size() == RereadQueue.IN_A_SECOND + 1) {
            throw new IllegalStateException("on purpose");
          }
        });
    queue.add(ALL);
    assertThatThrownBy(queue::readAll).isInstanceOf(IllegalStateException.class);
    queue.readAll();

    assertThat(tried).containsExactlyInAnyOrderElementsOf(ALL);
  }
}

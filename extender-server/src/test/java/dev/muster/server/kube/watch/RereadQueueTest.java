package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// One write of a tenant causes few reads of objects in a second.
class RereadQueueTest {
  private static final int MANY = 5 * RereadQueue.IN_A_SECOND;
  private static final Set<String> ALL =
      IntStream.range(0, MANY).mapToObj(i -> "ml/p" + i).collect(Collectors.toSet());

  private final List<String> read = new ArrayList<>();
  private final RereadQueue queue = new RereadQueue(read::add);

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
}

package dev.muster.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Scheduled events happen in a fixed order.
final class EventQueueTest {
  private final EventQueue queue = new EventQueue();
  private final List<String> happened = new ArrayList<>();

  private void runAll() {
    while (queue.nextAt() < EventQueue.NEVER) {
      queue.advance(queue.nextAt());
      queue.runNext();
    }
  }

  private JobProgress running(long length) {
    JobProgress progress = new JobProgress(length);
    progress.begin(queue.now(), 0, 1);
    return progress;
  }

  @Test
  void completions_come_before_bindings_and_equal_events_as_scheduled() {
    queue.schedule(100, EventKind.BINDING, () -> happened.add("first binding"));
    queue.schedule(100, EventKind.BINDING, () -> happened.add("second binding"));
    queue.schedule(50, EventKind.DECISION, () -> happened.add("earlier tick"));
    queue.scheduleCompletion(running(100), () -> happened.add("completion"));
    runAll();
    assertThat(happened)
        .containsExactly("earlier tick", "completion", "first binding", "second binding");
    assertThat(queue.now()).isEqualTo(100);
  }

  @Test
  void completion_of_a_preempted_job_does_not_happen() {
    JobProgress progress = running(100);
    queue.scheduleCompletion(progress, () -> happened.add("stale"));
    queue.advance(30);
    progress.stop(30, PreemptionCost.NONE);
    progress.begin(30, 0, 1);
    queue.scheduleCompletion(progress, () -> happened.add("completion"));
    assertThat(queue.nextAt()).isEqualTo(100);
    runAll();
    assertThat(happened).containsExactly("completion");
  }
}

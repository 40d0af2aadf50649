package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SelectionTimeTest {
  /// Watches pass on objects on such threads, for which the JVM returns no CPU time.
  @Test
  void time_ends_on_a_virtual_thread() throws InterruptedException {
    boolean[] isOver = new boolean[1];
    Thread thread =
        Thread.startVirtualThread(() -> {
          SelectionTime time = new SelectionTime(SelectionTime::cpuNanos, 1_000);
          for (int i = 0; i < 100_000 && !isOver[0]; i++) {
            isOver[0] = time.isOver();
          }
        });
    thread.join();

    assertThat(isOver[0]).isTrue();
  }
}

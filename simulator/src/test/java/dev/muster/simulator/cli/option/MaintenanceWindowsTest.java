package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.run.OutageSchedule.Window;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MaintenanceWindowsTest {
  @Test
  void window_has_a_node_a_start_and_a_duration() {
    assertThat(MaintenanceWindows.of("node-00003@2h+30m"))
        .isEqualTo(new Window("node-00003", Duration.ofHours(2), Duration.ofMinutes(30)));
  }

  @Test
  void maintenance_of_zero_duration_is_refused() {
    assertThatThrownBy(() -> MaintenanceWindows.of("node-00001@10s+0s"))
        .hasMessage(
            "The maintenance of node-00001 at 10s takes 0s; the duration after the + must be positive, for example 30m.");
  }

  @Test
  void maintenance_before_the_trace_is_refused() {
    assertThatThrownBy(() -> MaintenanceWindows.of("node-00001@-1h+1h"))
        .hasMessageStartingWith("--maintenance \"node-00001@-1h+1h\": \"-1h\" is not a duration.");
  }
}

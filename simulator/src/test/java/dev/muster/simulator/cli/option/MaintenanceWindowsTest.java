package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.run.OutageSchedule.Window;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MaintenanceWindowsTest {
  @Test
  void a_node_from_when_and_for_how_long() {
    assertThat(MaintenanceWindows.of("node-00003@2h+30m"))
        .isEqualTo(new Window("node-00003", Duration.ofHours(2), Duration.ofMinutes(30)));
  }

  @Test
  void a_maintenance_of_no_time() {
    assertThatThrownBy(() -> MaintenanceWindows.of("node-00001@10s+0s"))
        .hasMessage(
            "The maintenance of node-00001 at 10s takes 0s; the duration after the + must be positive, for example 30m.");
  }

  @Test
  void a_maintenance_before_the_trace_begins() {
    assertThatThrownBy(() -> MaintenanceWindows.of("node-00001@-1h+1h"))
        .hasMessageStartingWith("--maintenance \"node-00001@-1h+1h\": \"-1h\" is not a duration.");
  }
}

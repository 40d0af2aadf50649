package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.run.OutageSchedule.Window;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MaintenanceWindowsTest {
  @Test
  void aNodeFromWhenAndForHowLong() {
    assertThat(MaintenanceWindows.of("node-00003@2h+30m"))
        .isEqualTo(new Window("node-00003", Duration.ofHours(2), Duration.ofMinutes(30)));
  }

  @Test
  void aMaintenanceOfNoTime() {
    assertThatThrownBy(() -> MaintenanceWindows.of("node-00001@10s+0s"))
        .hasMessage(
            "The maintenance of node-00001 at 10s takes 0s; it must take some time. Maybe leave it out, or write 30m behind the +.");
  }

  @Test
  void aMaintenanceBeforeTheTraceBegins() {
    assertThatThrownBy(() -> MaintenanceWindows.of("node-00001@-1h+1h"))
        .hasMessageStartingWith("--maintenance \"node-00001@-1h+1h\": \"-1h\" is not a duration.");
  }
}

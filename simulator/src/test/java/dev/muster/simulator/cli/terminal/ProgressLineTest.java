package dev.muster.simulator.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/// The progress line follows the clock of the test.
final class ProgressLineTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private long seconds = 100;
  private final ProgressLine line =
      new ProgressLine(
          new PrintStream(shown, true, StandardCharsets.UTF_8),
          () -> true,
          () -> seconds * 1_000_000_000);

  private String last() {
    String all = shown.toString(StandardCharsets.UTF_8);
    return all.substring(1 + all.lastIndexOf('\r'));
  }

  @Test
  void remaining_time_follows_the_share_of_the_trace() {
    line.begins("4x8", () -> OptionalDouble.of(0.25));
    seconds += 10;
    assertThat(line.goesOn(5_000, 86_400_000)).isTrue();
    assertThat(last()).isEqualTo("4x8: 5,000 jobs, day 1.0, 500 jobs/s, 25 %, 30.0s left");
  }

  @Test
  void every_run_has_its_own_rate() {
    line.begins("1x8", OptionalDouble::empty);
    seconds += 1_000;
    line.begins("2x8", OptionalDouble::empty);
    seconds += 10;
    line.goesOn(5_000, 0);
    assertThat(last()).isEqualTo("2x8: 5,000 jobs, day 0.0, 500 jobs/s");
  }

  @Test
  void long_name_does_not_wrap_the_terminal_line() {
    line.begins("/data/fleets/of/last/november/all-nodes.csv", () -> OptionalDouble.of(0.25));
    seconds += 10;
    line.goesOn(5_000, 86_400_000);
    assertThat(last())
        .isEqualTo(
            "...st/november/all-nodes.csv: 5,000 jobs, day 1.0, 500 jobs/s, 25 %, 30.0s left")
        .hasSize(79);
  }
}

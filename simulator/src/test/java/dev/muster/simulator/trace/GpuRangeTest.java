package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.muster.simulator.kit.TraceJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GpuRangeTest {
  @ParameterizedTest
  @CsvSource({
    "8+, 8, true",
    "8+, 7, false",
    "1-7, 7, true",
    "1-7, 8, false",
    "4, 4, true",
    "4, 5, false",
    "0-8, 0, false"
  })
  void both_ends_are_in_the_range_and_jobs_without_gpus_are_not(
      String range, int gpus, boolean contained) {
    TraceJob job = TraceJobs.of("a 0+1 1x" + gpus).getFirst();
    assertThat(GpuRange.parse(range).orElseThrow().contains(job)).isEqualTo(contained);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8+", "1-7", "4", "0.5-1"})
  void text_is_read_back(String range) {
    assertThat(GpuRange.parse(range).orElseThrow()).hasToString(range);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "V100", "1080Ti", "1.2.3", "-4", "8-", "+"})
  void other_text_is_no_range(String text) {
    assertThat(GpuRange.parse(text)).isEmpty();
  }

  @Test
  void range_that_ends_below_its_beginning_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GpuRange.parse("8-4"))
        .withMessage("\"8-4\" is not a range of GPUs: it ends below its beginning.");
  }
}

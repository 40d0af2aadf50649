package dev.muster.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RestartTimesTest {
  private static final Fleet FLEET = FleetNotation.parse("2x8:V100,1x8:P4").orElseThrow();
  private static final RestartTimes TIMES =
      RestartTimes.parse(List.of("8+:V100:10m", "8+:4m", "P4:5m", "2m"));

  @ParameterizedTest
  @CsvSource({"8, 0, 600000", "8, 2, 240000", "4, 2, 300000", "4, 1, 120000"})
  void first_rule_that_fits_size_and_model_counts(int gpus, int node, long millis) {
    assertThat(TIMES.millis(job(gpus), FLEET, new int[] {node})).isEqualTo(millis);
  }

  @Test
  void job_on_several_models_has_the_longest_delay() {
    assertThat(TIMES.millis(job(4), FLEET, new int[] {1, 2, 2})).isEqualTo(300_000);
  }

  @Test
  void no_rule_that_fits_is_no_delay() {
    RestartTimes large = RestartTimes.parse(List.of("8+:10m"));
    assertThat(large.millis(job(4), FLEET, new int[] {0})).isZero();
  }

  @Test
  void text_is_read_back() {
    assertThat(RestartTimes.parse(List.of(TIMES.toString().split(", ", -1)))).isEqualTo(TIMES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"V100:8+:1m", "8+::1m", ":1m", "8+:V100:P4:1m"})
  void other_forms_are_refused_with_an_example(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RestartTimes.parse(List.of(text)))
        .withMessage("\"%s\" is not of the form 2m, 8+:10m, V100:5m or 8+:V100:10m.", text);
  }

  @Test
  void unknown_model_is_refused_with_the_known_ones() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RestartTimes.parse(List.of("A100:1m")).on(List.of(FLEET)))
        .withMessageEndingWith("has no GPU model of this name. Known: P4, V100.");
  }

  private static TraceJob job(int gpus) {
    return TraceJobs.of("a 0+1 1x" + gpus).getFirst();
  }
}

package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.JobOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Jobs without a model of their own prefer one by their size.
final class ModelWishesTest {
  private static final Fleet FLEET = FleetNotation.parse("1x8:P4,1x8:V100").orElseThrow();

  private static List<JobOutcome> run(String jobs, String... wishes) throws InterruptedException {
    Assumptions none = Assumptions.NONE;
    Assumptions assumed =
        new Assumptions(
            none.speed(),
            none.preemptionCost(),
            none.outages(),
            Duration.ZERO,
            none.options(),
            1,
            none.policies(),
            none.budgets(),
            ModelWishes.of(List.of(wishes)).on(List.of(FLEET)));
    PolicyVariant muster = PolicyVariant.of("muster", Optional.empty());
    return new Scenario(FLEET, new InMemory(jobs), muster, assumed, 1).run(RunObserver.NONE).jobs();
  }

  @Test
  void large_and_small_jobs_go_to_their_models() throws InterruptedException {
    String jobs = "small 0+10 1x4\nlarge 0+10 1x8\n";
    assertThat(run(jobs, "8+:V100", "1-7:P4"))
        .extracting(JobOutcome::models)
        .containsExactly("P4", "V100");
    assertThat(run(jobs, "8+:P4", "1-7:V100"))
        .extracting(JobOutcome::models)
        .containsExactly("V100", "P4");
  }

  @Test
  void other_models_are_taken_where_the_wanted_one_is_full() throws InterruptedException {
    assertThat(run("a 0+10 1x8\nb 0+10 1x8\n", "8:V100"))
        .extracting(JobOutcome::models)
        .containsExactly("V100", "P4");
    assertThat(run("a 0+10 1x8\nb 0+10 1x8\n", "8:V100"))
        .allMatch(job -> job.waitMillis().orElseThrow() == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"V100", "8:", "+8:V100", "a-b:V100", "8+V100"})
  void other_forms_are_refused(String text) {
    assertThatThrownBy(() -> ModelWishes.of(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--prefer \"%s\": not of the form".formatted(text));
  }

  @Test
  void unknown_model_is_refused() {
    assertThatThrownBy(() -> ModelWishes.of(List.of("8+:H100")).on(List.of(FLEET)))
        .hasMessage("--prefer 8+:H100: the fleet has no GPU model H100. Known: P4, V100.");
  }
}

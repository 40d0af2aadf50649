package dev.muster.simulator.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A generated trace follows its recipe.
final class SyntheticTraceTest {
  private static final int JOBS = 20_000;

  private static WorkloadModel recipe(double diurnal, long seed) {
    return new WorkloadModel(
        JOBS,
        1000,
        0.8,
        WeightedChoice.parse("1:3,16:1"),
        Duration.ofMinutes(10),
        1,
        diurnal,
        WeightedChoice.parse("a,b:3"),
        8,
        seed);
  }

  private static List<TraceJob> jobs(WorkloadModel model) {
    List<TraceJob> jobs = new ArrayList<>();
    new SyntheticTrace(model).forEachRemaining(jobs::add);
    return jobs;
  }

  @Test
  void load_is_met() {
    List<TraceJob> jobs = jobs(recipe(0.5, 42));
    double gpuMillis = jobs.stream().mapToDouble(j -> j.gpuMilli() / 1000.0 * j.runMillis()).sum();
    double span = jobs.getLast().submitMillis();
    assertThat(gpuMillis / span / 1000).isCloseTo(0.8, within(0.06));
  }

  @Test
  void mean_includes_capped_run_times() {
    WorkloadModel heavy =
        new WorkloadModel(
            JOBS,
            32,
            0.9,
            WeightedChoice.parse("8"),
            Duration.ofMinutes(30),
            2.5,
            0,
            WeightedChoice.parse("a"),
            8,
            42);
    double mean = jobs(heavy).stream().mapToLong(TraceJob::runMillis).average().orElseThrow();
    assertThat(mean / heavy.meanMillis()).isCloseTo(1, within(0.1));
  }

  @Test
  void sizes_and_queues_follow_their_weights() {
    Map<String, Integer> seen = new TreeMap<>();
    for (TraceJob job : jobs(recipe(0, 7))) {
      seen.merge(job.workers() + "x" + job.request().gpus(), 1, Integer::sum);
      seen.merge(job.queue(), 1, Integer::sum);
    }
    assertThat(seen).containsOnlyKeys("1x1", "2x8", "a", "b");
    assertThat(seen.getOrDefault("2x8", 0) / (double) JOBS).isCloseTo(0.25, within(0.02));
    assertThat(seen.getOrDefault("b", 0) / (double) JOBS).isCloseTo(0.75, within(0.02));
  }

  @Test
  void half_of_the_run_times_are_below_the_median() {
    long below = jobs(recipe(0, 3)).stream().filter(job -> job.runMillis() < 600_000).count();
    assertThat(below / (double) JOBS).isCloseTo(0.5, within(0.02));
  }

  @Test
  void arrivals_vary_over_the_day() {
    List<TraceJob> jobs = jobs(recipe(1, 42));
    long early = jobs.stream().filter(job -> job.submitMillis() % 86_400_000 < 43_200_000).count();
    // the mean of 1 + sin over the first half of the day: (1 + 2 / pi) / 2 of all
    assertThat(early / (double) JOBS).isCloseTo(0.818, within(0.05));
  }

  @Test
  void equal_seeds_give_equal_jobs_in_order() {
    List<TraceJob> jobs = jobs(recipe(0.5, 42));
    assertThat(jobs).isEqualTo(jobs(recipe(0.5, 42)));
    assertThat(jobs).isNotEqualTo(jobs(recipe(0.5, 43)));
    assertThat(jobs.stream().map(TraceJob::submitMillis).toList()).isSorted();
  }

  @Test
  void malformed_recipes_are_refused() {
    assertThatThrownBy(() -> WeightedChoice.parse("1:2:3"))
        .hasMessageContaining("is not of the form VALUE:WEIGHT.");
    assertThatThrownBy(() -> recipe(2, 1)).hasMessageContaining("diurnal (2.0) 0 to 1.");
  }
}

package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.Distribution;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The result files of a run describe it.
final class ResultFilesTest {
  @TempDir private Path folder;

  private JsonNode summary() throws IOException, InterruptedException {
    ResultFiles.write(RecordedRuns.drawn(), folder);
    return ResultFiles.JSON.readTree(folder.resolve("summary.json").toFile());
  }

  @Test
  void jobs_as_csv() throws IOException, InterruptedException {
    summary();
    List<String> lines = Files.readAllLines(folder.resolve("jobs.csv"));
    assertThat(lines)
        .containsExactly(
            "job_id,queue,user,project,priority,workers,gpus,submit_s,run_s,start_s,end_s,wait_s,queued_s,jct_s,slowdown,held_s,preemptions,lost_gpu_s,nodes,state,reason,message,node_losses,model",
            "a,prod,,,0,1,8,0,100,0,100,0,0,100,1.0,100,0,0,1,done,,,0,V100",
            "b,test,,,0,2,16,0,50,100,150,100,100,150,3.0,50,0,0,2,done,,,0,V100",
            "c,prod,,,0,1,4,0,20,0,20,0,0,20,1.0,20,0,0,1,done,,,0,V100",
            "d,test,,,0,1,16,0,1,,,,,,,0,0,0,0,rejected,ImpossibleRequest,Needs 16 GPUs on one node; the largest matching node has 8.,0,");
  }

  @Test
  void summary_has_its_figures_in_their_documented_places()
      throws IOException, InterruptedException {
    JsonNode summary = summary();
    assertThat(summary.path("version").asText()).isEqualTo("muster-simulation/v1");
    assertThat(summary.path("jobs").asLong()).isEqualTo(4);
    assertThat(summary.at("/states/rejected").asLong()).isEqualTo(1);
    assertThat(summary.at("/wait_s/mean").asDouble()).isCloseTo(100.0 / 3, within(1e-6));
    assertThat(summary.at("/jct_s/mean").asDouble()).isEqualTo(90);
    assertThat(summary.at("/jct_s/p99").asDouble()).isEqualTo(150);
    assertThat(summary.at("/makespan_s").asDouble()).isEqualTo(150);
  }

  @Test
  void utilisation_is_used_gpu_time_over_available_gpu_time()
      throws IOException, InterruptedException {
    double used = 8 * 100 + 16 * 50 + 4 * 20;
    assertThat(summary().path("utilisation").asDouble()).isCloseTo(used / (16 * 150), within(1e-6));
  }

  @Test
  void time_before_the_first_submission_does_not_count() throws InterruptedException {
    Summary summary = SummaryCalculation.of(RecordedRuns.of("2x8", "a 1700000000+36000 1x8\n"));
    assertThat(summary.utilisation()).isEqualTo(0.5);
    assertThat(summary.bounds().makespanS()).isEqualTo(36_000);
  }

  @Test
  void gpu_hours_add_up_in_every_grouping() throws IOException, InterruptedException {
    JsonNode summary = summary();
    double hours = (8 * 100 + 16 * 50 + 4 * 20) / 3600.0;
    assertThat(summary.path("gpu_hours").asDouble()).isCloseTo(hours, within(1e-5));
    for (String by : List.of("by_queue", "by_user", "by_project", "by_model")) {
      double sum = 0;
      for (JsonNode each : summary.at("/usage/" + by)) {
        sum += each.path("gpu_hours").asDouble();
      }
      assertThat(sum).as(by).isCloseTo(hours, within(1e-5));
    }
  }

  @Test
  void fairness_is_jains_index_of_the_queues_slowdowns() throws IOException, InterruptedException {
    // prod 1 and 1, test 3: (1 + 3)^2 / (2 (1 + 9))
    assertThat(summary().path("fairness").asDouble()).isCloseTo(0.8, within(1e-6));
  }

  @Test
  void locality_counts_gangs_only() throws IOException, InterruptedException {
    JsonNode node = summary().at("/locality/0");
    assertThat(node.path("level").asText()).isEqualTo("node");
    assertThat(node.path("gangs").asLong()).isEqualTo(1);
    assertThat(node.path("mean_domains").asDouble()).isEqualTo(2);
  }

  @Test
  void warnings_are_independent_of_the_locale() throws InterruptedException {
    StringBuilder jobs = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      jobs.append("j").append(i).append(" 0+1 1x16\n");
    }
    RunResult run = RecordedRuns.of("1x8", jobs.toString());
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      assertThat(SummaryCalculation.of(run).warnings())
          .singleElement()
          .asString()
          .startsWith("1,000 rejected: 1,000 ImpossibleRequest (j0: ");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void sizes_are_powers_of_two() throws InterruptedException {
    Summary summary =
        SummaryCalculation.of(
            RecordedRuns.of("8x8", "a 0+1 1x1\nb 0+1 1x2\nc 0+1 1x3\nd 0+1 1x4\ne 0+1 3x8\n"));
    assertThat(summary.bySize()).map(JobGroup::name).containsExactly("1", "2", "3-4", "17-32");
    assertThat(summary.bySize()).map(JobGroup::jobs).containsExactly(1L, 1L, 2L, 1L);
  }

  @Test
  void percentiles_are_values_of_the_list() {
    Distribution stats = Distribution.of(DoubleStream.iterate(0, x -> x + 1).limit(100).toArray());
    assertThat(stats).isEqualTo(new Distribution(100, 49.5, 50, 90, 95, 99, 99));
  }

  @Test
  void figures_of_an_empty_list_are_zero() {
    assertThat(Distribution.of(new double[0])).isEqualTo(new Distribution(0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void unwritable_result_keeps_the_old_one() throws IOException {
    Files.writeString(folder.resolve("jobs.csv"), "the one before");
    Files.createDirectories(folder.resolve("report.html/in the way"));
    assertThatThrownBy(this::summary).isInstanceOf(IOException.class);
    assertThat(folder.resolve("jobs.csv")).content().isEqualTo("the one before");
  }
}

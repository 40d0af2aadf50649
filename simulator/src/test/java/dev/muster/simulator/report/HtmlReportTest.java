package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.summary.SummaryCalculation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The report is one self-contained page.
final class HtmlReportTest {
  private static final Pattern DATA =
      Pattern.compile(
          "<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);
  private static final Pattern REFERENCE =
      Pattern.compile(
          "\\b(?:src|href|action)\\s*=|url\\(|@import|\\bfetch\\(|XMLHttpRequest|<link|<iframe|<img");

  private static String page(List<RunResult> runs) {
    return HtmlReport.page(runs, Headline.of(SummaryCalculation.of(runs.getFirst())));
  }

  private static JsonNode figures(String page) throws IOException {
    Matcher data = DATA.matcher(page);
    assertThat(data.find()).isTrue();
    return new JsonMapper().readTree(data.group(1));
  }

  /// Returns the page without the library, which requests nothing by itself.
  private static String ours(String page) {
    int library = page.indexOf("<script>");
    return page.substring(0, library) + page.substring(page.indexOf("</script>", library));
  }

  @Test
  void page_loads_nothing_from_elsewhere() throws InterruptedException {
    String page = page(List.of(RecordedRuns.drawn()));
    assertThat(REFERENCE.matcher(ours(page)).results().map(m -> m.group())).isEmpty();
    assertThat(ours(page)).doesNotContain("http://", "https://");
  }

  @Test
  void library_is_embedded() throws InterruptedException {
    String page = page(List.of(RecordedRuns.drawn()));
    assertThat(page).contains("https://d3js.org v7.9.0").doesNotContain("@LIBRARY@", "@STYLE@");
    assertThat(page.split("</script>", -1)).hasSize(4);
  }

  @Test
  void figures_equal_those_of_the_summary() throws IOException, InterruptedException {
    RunResult run = RecordedRuns.drawn();
    JsonNode summary = figures(page(List.of(run))).at("/runs/0/summary");
    assertThat(summary.toString())
        .isEqualTo(ResultFiles.json(SummaryCalculation.of(run)).toString());
  }

  @Test
  void several_runs_are_shown_side_by_side() throws IOException, InterruptedException {
    String page = page(List.of(RecordedRuns.drawn(), RecordedRuns.of("4x8", "a 0+10 1x8")));
    assertThat(figures(page).path("runs").size()).isEqualTo(2);
  }

  @Test
  void names_cannot_end_the_script() throws IOException, InterruptedException {
    String page = page(List.of(RecordedRuns.of("1x8", "</script><b> 0+10 1x8 </script>")));
    assertThat(page.split("</script>", -1)).hasSize(4);
    assertThat(figures(page).at("/runs/0/picture/gantt/jobs/0").asText())
        .isEqualTo("</script><b> (</script>)");
  }

  @Test
  void every_stay_is_a_bar_of_the_gantt() throws IOException, InterruptedException {
    JsonNode gantt = figures(page(List.of(RecordedRuns.drawn()))).at("/runs/0/picture/gantt");
    assertThat(gantt.path("jobs").toString()).isEqualTo("[\"a (prod)\",\"c (prod)\",\"b (test)\"]");
    assertThat(gantt.path("bars").toString())
        .isEqualTo(
            "[[0,0.0,8.0,0.0,100.0,0,8.0],[1,0.0,4.0,0.0,20.0,1,4.0],[0,0.0,8.0,100.0,150.0,2,8.0],[1,0.0,8.0,100.0,150.0,2,8.0]]");
  }

  @Test
  void heat_map_reaches_the_end_without_running_jobs() throws IOException, InterruptedException {
    RunResult run = RecordedRuns.of("1x8", "a 0+100 1x8\ntoolarge 300+100 1x16");
    JsonNode heat = figures(page(List.of(run))).at("/runs/0/picture/heat");
    assertThat(heat.path("step_s").asDouble()).isEqualTo(2);
    assertThat(heat.at("/percent/0").size()).isEqualTo(150);
  }

  @Test
  void share_of_jobs_started_by_a_time_counts_each_job() throws IOException, InterruptedException {
    RunResult run = RecordedRuns.of("1x8", "a 0+100 1x8\nb 0+100 1x8");
    JsonNode picture = figures(page(List.of(run))).at("/runs/0/picture");
    assertThat(picture.path("wait").toString()).isEqualTo("[[0.0,0.5],[100.0,1.0]]");
    assertThat(picture.path("jct").toString()).isEqualTo("[[100.0,0.5],[200.0,1.0]]");
  }

  @Test
  void heat_map_adds_up_to_the_utilisation() throws IOException, InterruptedException {
    RunResult run = RecordedRuns.drawn();
    double sum = 0;
    int cells = 0;
    for (JsonNode row : figures(page(List.of(run))).at("/runs/0/picture/heat/percent")) {
      for (JsonNode cell : row) {
        sum += cell.asDouble();
        cells++;
      }
    }
    assertThat(sum / cells / 100).isCloseTo(SummaryCalculation.of(run).utilisation(), within(0.01));
  }

  @Test
  void heat_map_shows_its_colours() throws InterruptedException {
    assertThat(page(List.of(RecordedRuns.drawn())))
        .contains("i.scale {", "attr('class', 'scale')")
        .doesNotContain("pale is idle");
  }

  @Test
  void no_two_of_thirty_six_lines_look_alike() throws InterruptedException {
    assertThat(page(List.of(RecordedRuns.drawn())))
        .contains("colour = i => css('--c' + (i % 6))", "[(i + Math.floor(i / 6)) % 6]");
  }

  @Test
  void gantt_scrolls_with_one_finger_and_takes_keys() throws InterruptedException {
    assertThat(page(List.of(RecordedRuns.drawn())))
        .contains("touch-action: pan-x pan-y", "e.touches.length > 1", "c.tabIndex = 0")
        .contains("addEventListener('keydown'");
  }

  private static RunResult away(String fleet, Path folder, OutageSchedule outages)
      throws IOException, InterruptedException {
    String pools =
        "apiVersion: simulator.muster.dev/v1\nkind: Fleet\npools: [%s]\n".formatted(fleet);
    Path file = Files.writeString(folder.resolve("fleet.yaml"), pools);
    return new Scenario(
            Fleets.of(file.toString()),
            new InMemory("a 0+100 1x8\nb 0+100 1x8\nc 300+100 1x8\n"),
            PolicyVariant.of("muster", Optional.empty()),
            Assumptions.NONE.with(outages),
            42)
        .run(RunObserver.NONE);
  }

  @Test
  void absent_cloud_node_is_neither_idle_nor_failed(@TempDir Path folder)
      throws IOException, InterruptedException {
    RunResult run =
        away(
            "{name: big, count: 1, gpus: 8, joinDelay: 30s, leaveAfter: 1m}, {name: own, count: 1, gpus: 8}",
            folder,
            OutageSchedule.NONE);
    JsonNode heat = figures(page(List.of(run))).at("/runs/0/picture/heat");
    assertThat(heat.path("rows").toString()).isEqualTo("[\"own-00001\",\"big-00001\"]");
    assertThat(heat.at("/percent/1/0").asInt()).isEqualTo(-1);
    assertThat(heat.at("/percent/0/0").asInt()).isPositive();
  }

  @Test
  void node_in_maintenance_is_no_idle_node(@TempDir Path folder)
      throws IOException, InterruptedException {
    OutageSchedule.Window window =
        new OutageSchedule.Window("own-00002", Duration.ofSeconds(150), Duration.ofSeconds(100));
    RunResult run =
        away(
            "{name: own, count: 2, gpus: 8}",
            folder,
            new OutageSchedule(Optional.empty(), Duration.ofHours(1), List.of(window)));
    JsonNode heat = figures(page(List.of(run))).at("/runs/0/picture/heat");
    int slot = (int) (200 / heat.path("step_s").asDouble());
    assertThat(heat.at("/percent/1/" + slot).asInt()).isEqualTo(-2);
    assertThat(heat.at("/percent/0/" + slot).asInt()).isZero();
  }

  @Test
  void page_begins_with_its_answer() throws IOException, InterruptedException {
    JsonNode headline = figures(page(List.of(RecordedRuns.drawn()))).path("headline");
    assertThat(headline.path("answer").asText())
        .startsWith("Half of the jobs start within 0.0s, and 95 % within 1")
        .endsWith("1 of 4 jobs are not done.");
    assertThat(headline.path("figures").size()).isEqualTo(3);
  }

  @Test
  void pictures_have_a_text_and_paper_is_landscape() throws InterruptedException {
    assertThat(page(List.of(RecordedRuns.drawn())))
        .contains("attr('role', 'img').attr('aria-label', names.label)", "A4 landscape")
        .doesNotContain("overflow-wrap: anywhere; margin");
  }
}

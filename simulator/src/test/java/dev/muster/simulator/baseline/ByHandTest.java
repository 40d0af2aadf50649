package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.record.AllocationSpan;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SpeedModel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Each policy starts a few jobs at times worked out on paper.
final class ByHandTest extends ByHandScene {
  @Test
  void strict_fifo_holds_all_jobs_behind_the_first() {
    assertThat(times("1x8", QUEUE, PolicyName.FIFO_STRICT))
        .isEqualTo("a 0-10, b 10-30, c 30-35, d 30-60");
  }

  @Test
  void skipping_fifo_lets_small_jobs_pass() {
    assertThat(times("1x8", QUEUE, PolicyName.FIFO_SKIP))
        .isEqualTo("a 0-10, b 37-57, c 2-7, d 7-37");
  }

  @Test
  void strict_shortest_first_waits_for_the_shortest() {
    assertThat(
            times(
                "1x8",
                """
                a 0+10 1x6
                b 1+5 1x8
                c 2+20 1x2
                """,
                PolicyName.SJF_STRICT))
        .isEqualTo("a 0-10, b 10-15, c 15-35");
  }

  @Test
  void skipping_shortest_first_takes_the_shortest_that_fits() {
    assertThat(times("1x8", QUEUE, PolicyName.SJF_SKIP))
        .isEqualTo("a 0-10, b 37-57, c 2-7, d 7-37");
  }

  @Test
  void easy_backfilling_lets_jobs_pass_that_end_in_time() {
    // b is promised 10; c ends by then, d does not and b needs all.
    assertThat(times("1x8", QUEUE, PolicyName.EASY)).isEqualTo("a 0-10, b 10-30, c 2-7, d 30-60");
  }

  @Test
  void easy_backfilling_lets_jobs_pass_that_use_spare_nodes() {
    assertThat(
            times(
                "1x8",
                """
                a 0+10 1x6
                b 1+20 1x6
                c 2+50 1x2
                """,
                PolicyName.EASY))
        .isEqualTo("a 0-10, b 10-30, c 2-52");
  }

  @Test
  void conservative_backfilling_promises_every_job_a_start() {
    // b is promised 10-30 and c 30-35; d would fit at 2 under EASY, but it would delay c.
    String jobs =
        """
        a 0+10 1x6
        b 1+20 1x6
        c 1+5 1x8
        d 2+50 1x2
        """;
    assertThat(times("1x8", jobs, PolicyName.EASY)).isEqualTo("a 0-10, b 10-30, c 52-57, d 2-52");
    assertThat(times("1x8", jobs, PolicyName.CONSERVATIVE))
        .isEqualTo("a 0-10, b 10-30, c 30-35, d 35-85");
  }

  /// At 4, b ends ten seconds before its stated end. c cannot pass the promise of d, which was 8.
  @ParameterizedTest
  @EnumSource
  void early_end_moves_no_promise_but_forward(BaselineOptions.Reservations reservations) {
    RunResult result =
        run(
            "4x1",
            """
            a 1+7 2x1
            b 1+3~13 1x1
            c 2+10 4x1
            d 2+5 2x1
            """,
            PolicyName.CONSERVATIVE,
            BaselineOptions.of(PolicyName.CONSERVATIVE.placement()).with(reservations));
    assertThat(times(result)).isEqualTo("a 1-8, b 1-4, c 9-19, d 4-9");
  }

  @Test
  void named_and_counted_reservations_differ() {
    // Two nodes: a leaves node 1 at 10. The first, b, needs 4 GPUs of one node. Counted, c may take
    // 2 GPUs anywhere; named, b's node 1 is spared and c goes to node 2.
    String jobs =
        """
        a 0+10 1x3
        x 0+30 1x2
        b 1+10 1x4
        c 2+50 1x1
        """;
    BaselineOptions packed = BaselineOptions.of(NodeChoice.FIRST_FIT);
    assertThat(times(run("2x4", jobs, PolicyName.EASY, packed)))
        .isEqualTo("a 0-10, x 0-30, b 30-40, c 2-52");
    assertThat(
            times(
                run("2x4", jobs, PolicyName.EASY, packed.with(BaselineOptions.Reservations.NAMED))))
        .isEqualTo("a 0-10, x 0-30, b 10-20, c 2-52");
  }

  @ParameterizedTest
  @CsvSource({"EASY, COUNTED", "EASY, NAMED", "CONSERVATIVE, COUNTED", "CONSERVATIVE, NAMED"})
  void unavailable_node_is_expected_back(PolicyName policy, BaselineOptions.Reservations promised) {
    // Node 2 is away from 10 to 70; b needs both and is promised 100, which c would delay.
    OutageSchedule window =
        new OutageSchedule(
            Optional.empty(),
            Duration.ofHours(1),
            List.of(
                new OutageSchedule.Window(
                    "node-00002", Duration.ofSeconds(10), Duration.ofSeconds(60))));
    BaselineOptions options = BaselineOptions.of(policy.placement()).with(promised);
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 1x4
            b 1+50 2x8
            c 2+1000 1x1
            """,
            new BaselineRun.Policy(policy, options, window));
    assertThat(times(result)).isEqualTo("a 0-100, b 100-150, c 150-1150");
  }

  @ParameterizedTest
  @EnumSource(names = {"EASY", "CONSERVATIVE"})
  void true_end_of_a_job_counts_its_number_of_nodes(PolicyName policy) {
    // a runs half as long again on two nodes, so b is promised 150, and c ends in time.
    SpeedModel speed = new SpeedModel(new TreeMap<>(), new TreeMap<>(Map.of("node", 1.5)));
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 2x6
            b 1+50 2x8
            c 2+120 1x4
            """,
            policy,
            BaselineOptions.of(policy.placement()).with(speed));
    assertThat(times(result)).isEqualTo("a 0-150, b 150-225, c 2-122");
  }

  @Test
  void job_that_fits_no_empty_fleet_is_rejected() {
    RunResult result =
        run(
            "1x8",
            """
            a 0+10 1x9
            b 1+10 1x8
            """,
            PolicyName.FIFO_STRICT,
            BaselineOptions.of(NodeChoice.CONSOLIDATED));
    assertThat(result.jobs().getFirst().state()).isEqualTo(JobOutcome.State.REJECTED);
    assertThat(result.jobs().getLast().startMillis()).isEqualTo(1000);
  }

  @ParameterizedTest
  @EnumSource(names = {"CONSOLIDATED", "FIRST_FIT"})
  void nodes_of_different_sizes_are_combined(NodeChoice placement) {
    RunResult result =
        run("10x4,1x8", "a 0+100 2x8", PolicyName.FIFO_STRICT, BaselineOptions.of(placement));
    assertThat(result.spans()).map(AllocationSpan::node).containsExactly(10, 0, 1);
    assertThat(result.spans()).map(AllocationSpan::gpuMilli).containsExactly(8000L, 4000L, 4000L);
  }

  @Test
  void consolidated_placement_fills_the_fullest_nodes() {
    RunResult result =
        run(
            "3x8",
            """
            a 0+100 1x4
            b 0+100 1x6
            c 1+100 1x2
            d 2+100 1x12
            """,
            PolicyName.FIFO_STRICT,
            BaselineOptions.of(NodeChoice.CONSOLIDATED));
    // a on 0, b on 1, c fills 1 up; d takes 2 whole and 4 of 0.
    assertThat(
            result.spans().stream().map(s -> s.job() + ":" + s.node() + "x" + s.gpuMilli() / 1000))
        .containsExactly("0:0x4", "1:1x6", "2:1x2", "3:2x8", "3:0x4");
  }

  @Test
  void more_gpus_than_an_int_do_not_overflow() {
    BaselineOptions fifo = BaselineOptions.of(NodeChoice.CONSOLIDATED);
    String jobs = "a 0+10 65536x65536"; // 2 to the 32nd
    for (BaselineOptions each : List.of(fifo, fifo.withOneGpuWorkers(true))) {
      RunResult result = run("1x8", jobs, PolicyName.FIFO_STRICT, each);
      assertThat(result.jobs().getFirst().state()).isEqualTo(JobOutcome.State.REJECTED);
    }
  }
}

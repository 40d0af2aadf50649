package dev.muster.simulator.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.record.RunResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Preemptive policies start a few jobs at times worked out on paper.
final class PreemptiveByHandTest extends ByHandScene {
  @ParameterizedTest
  @EnumSource(names = {"EASY", "CONSERVATIVE"})
  void preempted_job_has_only_its_remaining_time_to_run(PolicyName policy) {
    // a loses its node after 28 of 60; with its restart it still ends by 65, where b is promised
    // both.
    OutageSchedule window =
        new OutageSchedule(
            Optional.empty(),
            Duration.ofHours(1),
            List.of(
                new OutageSchedule.Window(
                    "node-00002", Duration.ofSeconds(30), Duration.ofSeconds(2))));
    BaselineOptions options =
        BaselineOptions.of(policy.placement())
            .with(Duration.ofSeconds(1), BaselineOptions.ServiceCharge.RESTART);
    RunResult result =
        run(
            "2x8",
            """
            x 0+65 1x8
            b 1+10 2x8
            a 2+60 1x8
            """,
            new BaselineRun.Policy(policy, options, window));
    assertThat(times(result)).isEqualTo("x 0-65, b 65-75, a 2-65");
  }

  @Test
  void shortest_remaining_time_preempts() {
    RunResult result =
        run(
            "1x8",
            """
            a 0+100 1x8
            b 10+20 1x8
            """,
            PolicyName.SRTF,
            BaselineOptions.of(NodeChoice.FIRST_FIT));
    assertThat(times(result)).isEqualTo("a 0-120, b 10-30");
    assertThat(result.jobs().getFirst().preemptions()).isEqualTo(1);
    assertThat(result.jobs().getFirst().heldMillis()).isEqualTo(100_000);
  }

  @Test
  void restart_has_its_cost() {
    BaselineOptions dear =
        BaselineOptions.of(NodeChoice.FIRST_FIT)
            .with(Duration.ofSeconds(7), BaselineOptions.ServiceCharge.RESTART);
    RunResult result =
        run(
            "1x8",
            """
            a 0+100 1x8
            b 10+20 1x8
            """,
            PolicyName.SRTF,
            dear);
    assertThat(times(result)).isEqualTo("a 0-127, b 10-30");
  }

  @Test
  void every_event_costs_where_it_is_charged() {
    // Muri: a's interval 0-10 counts 8, b's arrival ends it; b's own interval ends with its end.
    BaselineOptions charged =
        BaselineOptions.of(NodeChoice.FIRST_FIT)
            .with(Duration.ofSeconds(2), BaselineOptions.ServiceCharge.EVERY_EVENT);
    RunResult result =
        run(
            "2x8",
            """
            a 0+100 1x8
            b 10+20 1x8
            """,
            PolicyName.SRTF,
            charged);
    assertThat(times(result)).isEqualTo("a 0-104, b 10-30");
  }

  @Test
  void attained_service_counts_gpus_and_time_does_not() {
    String jobs =
        """
        a 0+1 1x8
        b 0+30 1x8
        c 0+40 1x4
        """;
    assertThat(times("1x8", jobs, PolicyName.SRTF)).isEqualTo("a 0-1, b 1-31, c 31-71");
    assertThat(times("1x8", jobs, PolicyName.SRSF)).isEqualTo("a 0-1, b 41-71, c 1-41");
  }

  @Test
  void job_with_the_least_service_goes_first() {
    // One GPU; 10 s in the first queue, then behind all newcomers.
    BaselineOptions queues =
        BaselineOptions.of(NodeChoice.FIRST_FIT).with(List.of(Duration.ofSeconds(10)));
    RunResult result =
        run(
            "1x1",
            """
            a 0+30 1x1
            b 5+20 1x1
            """,
            PolicyName.LAS,
            queues);
    assertThat(times(result)).isEqualTo("a 0-40, b 10-50");
  }

  @Test
  void queue_never_stops_its_own_jobs() {
    // b is older but needs both GPUs, so c starts before it. a's end does not let b stop c.
    BaselineOptions queues =
        BaselineOptions.of(NodeChoice.SCATTERED).with(List.of(Duration.ofSeconds(100)));
    RunResult result =
        run(
            "1x2",
            """
            a 0+10 1x1
            b 1+10 1x2
            c 2+20 1x1
            """,
            PolicyName.LAS,
            queues);
    assertThat(times(result)).isEqualTo("a 0-10, b 22-32, c 2-22");
  }

  @Test
  void queue_with_less_usage_goes_first() {
    assertThat(
            times(
                "1x8",
                """
                a 0+10 1x4 rich
                b 0+20 1x4 rich
                c 1+10 1x4 rich
                d 2+10 1x4 poor
                """,
                PolicyName.FAIR_SHARE))
        .isEqualTo("a 0-10, b 0-20, c 20-30, d 10-20");
  }
}

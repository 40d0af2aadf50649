package dev.muster.simulator.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.policy.journal.JournalEntry;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.simulator.live.LiveJobs.Job;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Gangs of a journal become jobs of a trace.
final class JobHistoryTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final MemberState HELD = new MemberState.Held(false);
  private static final MemberState DONE = new MemberState.Ended(true);

  private final JobHistory history = new JobHistory();

  @Test
  void gang_runs_from_its_bound_minimum_until_its_last_member_ends() {
    declare("g", 2, 0);
    seen("g-0", "g", 10, HELD);
    seen("g-1", "g", 20, HELD);
    seen("g-0", "g", 1_000, bound(1_000));
    seen("g-1", "g", 1_500, bound(1_500));
    seen("g-0", "g", 60_000, DONE);
    seen("g-1", "g", 61_500, DONE);

    Job job = only();
    assertThat(job.job().submitMillis()).isZero();
    assertThat(job.started()).contains(1_500L);
    assertThat(job.ended()).contains(61_500L);
    assertThat(job.job().runMillis()).isEqualTo(60_000);
    assertThat(job.job().workers()).isEqualTo(2);
    assertThat(job.job().minWorkers()).isEqualTo(2);
    assertThat(job.job().request().gpus()).isEqualTo(4);
    assertThat(job.job().queue()).isEqualTo("prod");
    assertThat(job.job().user()).isEqualTo("ml");
  }

  @Test
  void journal_beginning_in_the_middle_takes_running_gangs_from_its_image() throws IOException {
    Member member = member("g-0", "g", 0, bound(1_000));
    Cluster cluster =
        Cluster.empty(new Topology(List.of()))
            .apply(new Event.GangSeen(at(0), spec("g", 1, 0)))
            .apply(new Event.MemberSeen(at(2_000), member));
    JournalHeader header = JournalHeader.of(cluster.topology(), Policies.DEFAULT, Map.of());
    history.note(JournalEntry.Image.of(2, header, State.of(cluster)), Optional::of);
    history.note(new Event.MemberGone(at(61_000), gang("g"), pod("g-0")));

    assertThat(only().job().runMillis()).isEqualTo(60_000);
    assertThat(only().job().queue()).isEqualTo("prod");
  }

  @Test
  void preempted_gang_that_ran_again_counts_both_runs() {
    declare("g", 1, 0);
    seen("g-0", "g", 0, HELD);
    seen("g-0", "g", 1_000, bound(1_000));
    history.note(new Event.MemberGone(at(11_000), gang("g"), pod("g-0")));
    seen("g-0b", "g", 11_000, HELD);
    seen("g-0b", "g", 20_000, bound(20_000));
    seen("g-0b", "g", 25_000, DONE);

    Job job = only();
    assertThat(job.job().runMillis()).isEqualTo(15_000);
    assertThat(job.job().workers()).isEqualTo(1);
    assertThat(job.started()).contains(1_000L);
    assertThat(job.ended()).contains(25_000L);
  }

  @Test
  void another_gang_of_the_same_name_is_another_job() {
    for (int time : List.of(0, 100_000)) {
      declare("g", 1, time);
      seen("p" + time, "g", time, HELD);
      seen("p" + time, "g", time + 1_000, bound(time + 1_000));
      seen("p" + time, "g", time + 3_000, DONE);
      history.note(new Event.MemberGone(at(time + 4_000), gang("g"), pod("p" + time)));
    }
    assertThat(LiveJobs.of(history).jobs())
        .extracting(job -> job.job().id())
        .containsExactly("ml/g", "ml/g#2");
  }

  @Test
  void gang_missing_after_a_restart_ended_by_then() {
    declare("g", 1, 0);
    seen("g-0", "g", 0, HELD);
    seen("g-0", "g", 1_000, bound(1_000));
    history.relist();
    history.note(new Event.Synced(at(50_000)));

    assertThat(only().ended()).contains(50_000L);
    assertThat(only().job().runMillis()).isEqualTo(49_000);
  }

  @Test
  void pod_bound_before_the_journal_states_its_start() {
    declare("g", 1, 0);
    seen("g-0", "g", 90_000, bound(30_000));
    seen("g-0", "g", 100_000, DONE);

    assertThat(only().started()).contains(30_000L);
    assertThat(only().job().runMillis()).isEqualTo(70_000);
  }

  @Test
  void repeated_fact_about_a_finished_pod_changes_nothing() {
    declare("g", 1, 0);
    seen("g-0", "g", 0, HELD);
    seen("g-0", "g", 1_000, bound(1_000));
    seen("g-0", "g", 5_000, DONE);
    seen("g-0", "g", 1_000, bound(1_000));
    seen("g-0", "g", 9_000, DONE);

    assertThat(only().ended()).contains(5_000L);
    assertThat(only().job().runMillis()).isEqualTo(4_000);
  }

  @Test
  void running_jobs_get_the_most_likely_run_time() {
    for (int i = 0; i < 3; i++) {
      declare("done" + i, 1, 0);
      seen("done" + i, "done" + i, 0, bound(0));
      seen("done" + i, "done" + i, 1_000L * (i + 1), DONE);
    }
    declare("waits", 1, 5_000);
    seen("waits-0", "waits", 5_000, HELD);
    history.note(
        new Event.GangSeen(
            at(6_000), spec("told", 1, 6_000).wishing(runtime(Duration.ofMinutes(7)))));
    seen("told-0", "told", 6_000, HELD);
    declare("runs", 1, 7_000);
    seen("runs-0", "runs", 7_000, bound(7_000));
    history.note(new Event.Tick(at(60_000)));

    LiveJobs jobs = LiveJobs.of(history);
    assertThat(jobs.jobs().subList(3, 6))
        .extracting(job -> job.job().runMillis())
        .containsExactly(2_000L, 420_000L, 53_000L);
    assertThat(jobs.notes()).anyMatch(note -> note.startsWith("3 were not over"));
  }

  @Test
  void jobs_without_any_estimate_get_one_hour() {
    declare("waits", 1, 5_000);
    seen("waits-0", "waits", 5_000, HELD);

    LiveJobs jobs = LiveJobs.of(history);
    assertThat(jobs.jobs()).extracting(job -> job.job().runMillis()).containsExactly(3_600_000L);
    assertThat(jobs.notes()).anyMatch(note -> note.contains("else an hour"));
  }

  @Test
  void deleted_gang_that_never_started_is_left_out() {
    declare("g", 1, 0);
    seen("g-0", "g", 0, HELD);
    history.note(new Event.MemberGone(at(9_000), gang("g"), pod("g-0")));

    LiveJobs jobs = LiveJobs.of(history);
    assertThat(jobs.jobs()).isEmpty();
    assertThat(jobs.notes()).contains("1 were withdrawn before they started and are left out.");
  }

  @Test
  void constraints_of_pods_count_where_the_group_states_none() {
    declare("g", 1, 0);
    Member pod = member("g-0", "g", 0, HELD).wishing(runtime(Duration.ofMinutes(7)));
    history.note(new Event.MemberSeen(at(0), pod));
    assertThat(only().job().constraints().runtime()).contains(Duration.ofMinutes(7));
  }

  private Job only() {
    assertThat(LiveJobs.of(history).jobs()).hasSize(1);
    return LiveJobs.of(history).jobs().getFirst();
  }

  private void declare(String name, int minCount, long millis) {
    history.note(new Event.GangSeen(at(millis), spec(name, minCount, millis)));
  }

  private static GangSpec spec(String name, int minCount, long millis) {
    return GangSpec.of(gang(name), minCount, "prod", at(millis));
  }

  private void seen(String pod, String gang, long millis, MemberState state) {
    history.note(new Event.MemberSeen(at(millis), member(pod, gang, millis, state)));
  }

  private static Member member(String pod, String gang, long millis, MemberState state) {
    Request request =
        new Request(
            Resources.of(Map.of("nvidia.com/gpu", 4L, "pods", 1L)), 4, 0, NodeSelection.ANY, false);
    return new Member(pod(pod), gang(gang), 0, 0, request, GangConstraints.NONE, state, at(millis));
  }

  private static MemberState bound(long since) {
    return new MemberState.Bound(new NodeId("n1"), at(since));
  }

  private static GangConstraints runtime(Duration time) {
    return new GangConstraints(
        GangConstraints.NONE.topology(), GangConstraints.NONE.gpus(), Optional.of(time));
  }

  private static GangId gang(String name) {
    return new GangId("ml", GangId.Origin.POD_GROUP, name);
  }

  private static MemberId pod(String name) {
    return new MemberId("ml", name, name);
  }

  private static Instant at(long millis) {
    return START.plusMillis(millis);
  }
}

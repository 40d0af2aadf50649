package dev.muster.simulator.report;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.simulator.run.JobOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The columns of the tables of jobs, `jobs.csv` and `jobs.parquet`, in order.
final class JobColumns {
  private static final List<Column<JobOutcome>> ALWAYS =
      List.of(
          text("job_id", job -> job.job().id()),
          text("queue", job -> known(job.job().queue())),
          text("user", job -> known(job.job().user())),
          text("project", job -> known(job.job().project())),
          whole("priority", job -> job.job().priority()),
          whole("workers", job -> job.job().workers()),
          thousandths("gpus", job -> job.job().gpuMilli()),
          thousandths("submit_s", job -> job.job().submitMillis()),
          thousandths("run_s", job -> job.job().runMillis()),
          thousandths("start_s", job -> known(job.startMillis())),
          thousandths("end_s", job -> known(job.endMillis())),
          thousandths("wait_s", job -> known(job.waitMillis())),
          thousandths("queued_s", job -> known(job.queuedMillis())),
          thousandths("jct_s", job -> known(job.jctMillis())),
          new Column<>(
              "slowdown",
              Column.Type.DECIMAL,
              job -> job.endMillis() < 0 ? null : Rounded.of(Group.slowdownOf(job))),
          thousandths("held_s", JobOutcome::heldMillis),
          whole("preemptions", JobOutcome::preemptions),
          thousandths("lost_gpu_s", JobOutcome::lostGpuMillis),
          whole("nodes", JobOutcome::nodes),
          text("state", job -> job.state().name().toLowerCase(Locale.ROOT)));

  private JobColumns() {}

  /// Those of every run, then how many domains of each level a job ran in, then why it did not.
  static List<Column<JobOutcome>> of(List<TopologyLevel> levels) {
    List<Column<JobOutcome>> columns = new ArrayList<>(ALWAYS);
    for (int i = 0; i < levels.size(); i++) {
      int level = i;
      columns.add(
          whole(
              levels.get(level).name() + "_domains",
              job -> job.span().isEmpty() ? null : job.span().get(level)));
    }
    columns.add(text("reason", job -> job.why().map(ReasonText::token).orElse(null)));
    columns.add(text("message", job -> job.why().map(ReasonText::sentence).orElse(null)));
    return columns;
  }

  private static Column<JobOutcome> text(String name, Function<JobOutcome, @Nullable Object> of) {
    return new Column<>(name, Column.Type.TEXT, of);
  }

  private static Column<JobOutcome> whole(String name, Function<JobOutcome, @Nullable Object> of) {
    return new Column<>(name, Column.Type.WHOLE, of);
  }

  private static Column<JobOutcome> thousandths(
      String name, Function<JobOutcome, @Nullable Object> of) {
    return new Column<>(name, Column.Type.THOUSANDTHS, of);
  }

  private static @Nullable Object known(String name) {
    return name.isEmpty() ? null : name;
  }

  private static @Nullable Object known(long millis) {
    return millis < 0 ? null : millis;
  }

  private static @Nullable Object known(OptionalLong millis) {
    return millis.isPresent() ? millis.getAsLong() : null;
  }
}

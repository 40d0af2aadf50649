package dev.muster.simulator.report;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.summary.JobGroup;
import dev.muster.simulator.summary.Rounding;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// The columns of `jobs.csv`, in order.
final class JobColumns {
  private static final List<TableColumn> ALWAYS =
      List.of(
          new TableColumn("job_id", job -> job.job().id()),
          new TableColumn("queue", job -> job.job().queue()),
          new TableColumn("user", job -> job.job().user()),
          new TableColumn("project", job -> job.job().project()),
          whole("priority", job -> job.job().priority()),
          whole("workers", job -> job.job().workers()),
          thousandths("gpus", job -> job.job().gpuMilli()),
          thousandths("submit_s", job -> job.job().submitMillis()),
          thousandths("run_s", job -> job.job().runMillis()),
          thousandths("start_s", JobOutcome::startMillis),
          thousandths("end_s", JobOutcome::endMillis),
          ifKnown("wait_s", JobOutcome::waitMillis),
          ifKnown("queued_s", JobOutcome::queuedMillis),
          ifKnown("jct_s", JobOutcome::jctMillis),
          new TableColumn(
              "slowdown",
              job -> job.endMillis() < 0 ? "" : "" + Rounding.of(JobGroup.slowdownOf(job))),
          thousandths("held_s", JobOutcome::heldMillis),
          whole("preemptions", JobOutcome::preemptions),
          thousandths("lost_gpu_s", JobOutcome::lostGpuMillis),
          whole("nodes", JobOutcome::nodes),
          new TableColumn("state", job -> job.state().name().toLowerCase(Locale.ROOT)));

  private JobColumns() {}

  /// Returns the fixed columns, one column per topology level, and the columns after them.
  ///
  /// The column of a level is the number of its domains in which the job ran. The reason says why a
  /// job did not start.
  static List<TableColumn> of(List<TopologyLevel> levels) {
    List<TableColumn> columns = new ArrayList<>(ALWAYS);
    for (int i = 0; i < levels.size(); i++) {
      int level = i;
      columns.add(
          new TableColumn(
              levels.get(level).name() + "_domains",
              job -> job.span().isEmpty() ? "" : "" + job.span().get(level)));
    }
    columns.add(new TableColumn("reason", job -> job.why().map(ReasonText::token).orElse("")));
    columns.add(new TableColumn("message", job -> job.why().map(ReasonText::sentence).orElse("")));
    columns.add(whole("node_losses", JobOutcome::nodeLosses));
    columns.add(new TableColumn("model", JobOutcome::models));
    return columns;
  }

  private static TableColumn whole(String name, ToLongFunction<JobOutcome> value) {
    return new TableColumn(name, job -> Long.toString(value.applyAsLong(job)));
  }

  private static TableColumn thousandths(String name, ToLongFunction<JobOutcome> value) {
    return new TableColumn(name, job -> thousandth(value.applyAsLong(job)));
  }

  private static TableColumn ifKnown(String name, Function<JobOutcome, OptionalLong> value) {
    return new TableColumn(name, job -> thousandth(value.apply(job).orElse(-1)));
  }

  /// Returns a decimal without trailing zeros: 1500 is `1.5`.
  ///
  /// Negative values mean unknown and give an empty text.
  private static String thousandth(long thousandths) {
    if (thousandths < 0) {
      return "";
    }
    return thousandths % 1000 == 0
        ? Long.toString(thousandths / 1000) // the common case
        : BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
  }
}

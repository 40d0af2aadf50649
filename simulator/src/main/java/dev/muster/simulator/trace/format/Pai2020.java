package dev.muster.simulator.trace.format;

import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.trace.CsvFormat;
import dev.muster.simulator.trace.GangFactory;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import java.util.List;
import java.util.Optional;

/// Reads the task table of Alibaba's PAI trace (2020, Weng et al., NSDI'22).
///
/// A job has tasks, and the instances of a task start together, so each task is a gang.
final class Pai2020 implements RowReader {
  static final TraceFormat FORMAT =
      new CsvFormat(
          "alibaba-v2020",
          List.of(
              "job_name",
              "task_name",
              "inst_num",
              "status",
              "start_time",
              "end_time",
              "plan_cpu",
              "plan_mem",
              "plan_gpu",
              "gpu_type"),
          true,
          0,
          Pai2020::new);

  private static final String ANY_GPU = "MISC";

  private final GangFactory gangFactory;
  private long unfinished;

  private Pai2020(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    Optional<Long> start = row.maybeThousandfold("start_time");
    Optional<Long> end = row.maybeThousandfold("end_time");
    if (start.isEmpty() || end.isEmpty() || row.text("inst_num").isEmpty()) {
      unfinished++;
      return Optional.empty();
    }
    if (end.get() < start.get()) {
      throw row.fault("end_time", row.text("end_time") + " is before start_time.");
    }
    // CPU and GPU are percentages: one percent is ten thousandths.
    GangFactory.Need need =
        new GangFactory.Need(
            row.maybeThousandfold("plan_gpu").orElse(0L) / 100,
            row.maybeThousandfold("plan_cpu").orElse(0L) / 100,
            row.text("plan_mem").isEmpty() ? 0 : row.gibibytes("plan_mem"));
    String type = row.text("gpu_type");
    return Optional.of(
        JobDraft.of(
                row.needed("job_name") + "/" + row.needed("task_name"),
                start.get(),
                end.get() - start.get(),
                gangFactory.of(row.atLeastOne("inst_num"), need))
            .running(row.text("job_name"))
            .on(
                type.isEmpty() || type.equals(ANY_GPU) || type.equals("CPU")
                    ? List.of()
                    : List.of(type))
            .job());
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "A task is a gang of its instances, submitted when it started: the table has no submission;"
            + " times are seconds.",
        "plan_cpu and plan_gpu are percent, plan_mem is GiB; parts above one GPU are rounded up to"
            + " whole ones; gpu_type MISC is any.",
        "%d tasks that never started or never ended were left out.".formatted(unfinished));
  }
}

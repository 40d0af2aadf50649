package dev.muster.simulator.trace.format;

import dev.muster.simulator.file.InputRow;
import dev.muster.simulator.trace.CsvFormat;
import dev.muster.simulator.trace.GangFactory;
import dev.muster.simulator.trace.JobDraft;
import dev.muster.simulator.trace.RowReader;
import dev.muster.simulator.trace.TraceFormat;
import dev.muster.simulator.trace.TraceJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads the pod lists of Alibaba's "openb" cluster (2023, Weng et al., USENIX ATC'23).
///
/// Each row is one pod; there are no gangs.
final class OpenbPods implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.ofWorkers(
          "openb",
          List.of("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"),
          OpenbPods::new);

  private static final long WITHOUT_TIMES = Duration.ofHours(1).toMillis();

  private final GangFactory gangFactory;
  private long unscheduled;
  private long timeless;

  private OpenbPods(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    int gpus = row.small("num_gpu");
    int milli = row.small("gpu_milli");
    if (milli > 1000) {
      throw row.fault("gpu_milli", milli + " exceeds 1000, a whole GPU.");
    }
    long gpuMilli = gpus == 1 ? milli : 1000L * gpus;
    long memory = (long) row.small("memory_mib") << 20;
    GangFactory.Shape shape =
        gangFactory.of(1, new GangFactory.Need(gpuMilli, row.count("cpu_milli"), memory));
    long submit = row.maybeThousandfold("creation_time").orElse(0L);
    return Optional.of(
        JobDraft.of(row.needed("name"), submit, runMillis(row, submit), shape)
            .in(row.text("qos"))
            .on(models(row.text("gpu_spec")))
            .job());
  }

  private long runMillis(InputRow row, long submit) {
    Optional<Long> end = row.maybeThousandfold("deletion_time");
    if (end.isEmpty()) {
      timeless++;
      return WITHOUT_TIMES;
    }
    Optional<Long> begin = row.maybeThousandfold("scheduled_time");
    unscheduled += begin.isEmpty() ? 1 : 0;
    long run = end.get() - begin.orElse(submit);
    if (run < 0) {
      throw row.fault(
          "deletion_time", row.text("deletion_time") + " is before the start of the pod.");
    }
    return run;
  }

  private static List<String> models(String spec) {
    return spec.isEmpty() ? List.of() : List.of(spec.split("\\|", -1));
  }

  @Override
  public List<String> assumptions() {
    List<String> said = new ArrayList<>();
    said.add("Every pod is a separate job; its qos class is its queue; times are seconds.");
    said.add("A pod of several GPUs takes whole ones; gpu_milli counts for one GPU only.");
    if (unscheduled > 0) {
      said.add(
          "%d pods were never scheduled; they run from creation to deletion."
              .formatted(unscheduled));
    }
    if (timeless > 0) {
      said.add("%d pods have no times; they run for an hour.".formatted(timeless));
    }
    return said;
  }
}

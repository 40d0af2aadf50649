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

/// Reads Alibaba's trace of high-priority and spot jobs (2026, Duan et al., ASPLOS'26).
final class Spot2026 implements RowReader {
  static final TraceFormat FORMAT =
      CsvFormat.ofWorkers(
          "alibaba-v2026",
          List.of(
              "job_name",
              "organization",
              "gpu_model",
              "cpu_request",
              "gpu_request",
              "worker_num",
              "submit_time",
              "duration",
              "job_type"),
          Spot2026::new);

  private static final int HIGH = 1000;

  private final GangFactory gangFactory;

  private Spot2026(GangFactory gangFactory) {
    this.gangFactory = gangFactory;
  }

  @Override
  public Optional<TraceJob> read(InputRow row) {
    GangFactory.Need need =
        new GangFactory.Need(
            row.positiveThousandfold("gpu_request"), row.positiveThousandfold("cpu_request"), 0);
    String model = row.text("gpu_model");
    return Optional.of(
        JobDraft.of(
                row.needed("job_name"),
                row.positiveThousandfold("submit_time"),
                row.positiveThousandfold("duration"),
                gangFactory.of(row.atLeastOne("worker_num"), need))
            .by(row.text("organization"))
            .in(row.text("organization"))
            .on(model.isEmpty() ? List.of() : List.of(model))
            .prior(priority(row))
            .job());
  }

  private static int priority(InputRow row) {
    return switch (row.needed("job_type")) {
      case "HP" -> HIGH;
      case "Spot" -> 0;
      default ->
          throw row.fault(
              "job_type", "unknown type \"%s\"; known: HP, Spot.".formatted(row.text("job_type")));
    };
  }

  @Override
  public List<String> assumptions() {
    return List.of(
        "gpu_request and cpu_request are for each of worker_num workers, parts above one GPU rounded"
            + " up to whole ones; times are seconds.",
        "The organization is user and queue; HP jobs have priority %d, Spot jobs 0."
            .formatted(HIGH));
  }
}

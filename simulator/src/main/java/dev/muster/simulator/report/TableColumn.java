package dev.muster.simulator.report;

import dev.muster.simulator.run.record.JobOutcome;
import java.util.function.Function;

/// A column of `jobs.csv`.
///
/// @param name its heading
/// @param cell the text of a job's cell; empty where the value is unknown
record TableColumn(String name, Function<JobOutcome, String> cell) {}

package dev.muster.simulator.generate;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;

/// A synthetic trace, whose jobs are drawn on demand.
///
/// Equal recipes give equal jobs on every machine.
///
/// The arrival rate varies over a day. Arrivals are drawn by thinning (Lewis and Shedler 1979): at
/// the peak rate, each kept with the probability of the present rate over the peak rate.
public final class SyntheticTrace implements Trace {
  private static final double DAY_MILLIS = 86_400_000;

  private final WorkloadModel model;
  private final double meanGapMillis;
  private final Random random;
  private final Map<Integer, Request> requests = new HashMap<>();
  private double now;
  private long made;

  /// Creates the trace of a recipe.
  public SyntheticTrace(WorkloadModel model) {
    this.model = model;
    this.meanGapMillis = model.meanGapMillis();
    this.random = new Random(model.seed());
  }

  @Override
  public Instant start() {
    return Instant.EPOCH;
  }

  @Override
  public List<String> assumptions() {
    return model.assumptions();
  }

  @Override
  public boolean hasNext() {
    return made < model.jobs();
  }

  @Override
  public TraceJob next() {
    if (!hasNext()) {
      throw new NoSuchElementException("All %d jobs were made.".formatted(made));
    }
    made++;
    arrive();
    int gpus = Integer.parseInt(model.sizes().at(random.nextDouble()));
    long run = run();
    String queue = model.queues().at(random.nextDouble());
    int workers = workers(gpus, model.perWorker());
    Request request = requests.computeIfAbsent(gpus / workers, SyntheticTrace::request);
    return job("job-" + made, queue, (long) now, run, workers, request);
  }

  /// Returns an example of a job of this size.
  static TraceJob sample(int gpus, int perWorker) {
    int workers = workers(gpus, perWorker);
    return job("sample", "", 0, 0, workers, request(gpus / workers));
  }

  private static TraceJob job(
      String id, String queue, long submit, long run, int workers, Request request) {
    return new TraceJob(
        id, queue, queue, submit, run, workers, workers, request, GangConstraints.NONE, 0, "");
  }

  private void arrive() {
    double most = 1 + model.diurnal();
    do {
      now -= StrictMath.log(1 - random.nextDouble()) * meanGapMillis / most;
    } while (random.nextDouble() * most > rate(now));
  }

  /// Returns the relative arrival rate at a time of the day; its mean is 1.
  private double rate(double millis) {
    return 1 + model.diurnal() * StrictMath.sin(2 * Math.PI * millis / DAY_MILLIS);
  }

  private long run() {
    return (long) model.runMillis(random.nextGaussian());
  }

  /// Returns the fewest workers with equal numbers of GPUs.
  private static int workers(int gpus, int perWorker) {
    int workers = (gpus + perWorker - 1) / perWorker;
    while (gpus % workers != 0) {
      workers++;
    }
    return workers;
  }

  private static Request request(int gpus) {
    return Request.of(
        Resources.of(Map.of(FleetNotation.GPU, (long) gpus, Resources.PODS, 1L)), gpus);
  }

  @Override
  public void close() {}
}

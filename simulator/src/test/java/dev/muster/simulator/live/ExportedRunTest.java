package dev.muster.simulator.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Driver;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.policy.journal.JournalWriter;
import dev.muster.policy.journal.MalformedJournal;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.kit.TraceJobs;
import dev.muster.simulator.run.EventKind;
import dev.muster.simulator.run.EventQueue;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.SimulationContext;
import dev.muster.simulator.run.engine.MusterRun;
import dev.muster.simulator.run.engine.PodBinder;
import dev.muster.simulator.run.engine.VirtualCluster;
import dev.muster.simulator.run.record.JobOutcome;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SimulationSetup;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.trace.Trace;
import dev.muster.simulator.trace.TraceJob;
import dev.muster.simulator.trace.TraceOptions;
import dev.muster.simulator.trace.format.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The simulated export of a live journal gives the waits of the run. The run has the phases of a
/// live control plane.
final class ExportedRunTest {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final Duration LATENCY = Duration.ofMillis(50);
  private static final int GANGS = 60;

  @TempDir private Path folder = Path.of("");

  @Test
  void simulated_waits_equal_those_of_the_run() throws IOException, InterruptedException {
    Path journal = folder.resolve("journal.jsonl");
    live(journal);
    ClusterSnapshot end = ClusterSnapshot.read(journal);
    LiveJobs jobs =
        new LiveExport(Set.of(), Optional.empty())
            .write(
                folder,
                new LiveExport.Sources(end.header(), end.facts(), List.of(), Optional.of(journal)))
            .jobs();

    assertThat(jobs.jobs()).hasSize(GANGS).allMatch(job -> job.ended().isPresent());
    assertThat(jobs.latency()).as("written, nominated, bound").contains(LATENCY.multipliedBy(3));
    RunResult result = simulated(end.header(), jobs.latency().orElseThrow());

    long waited = 0;
    for (int i = 0; i < GANGS; i++) {
      JobOutcome predicted = result.jobs().get(i);
      LiveJobs.Job measured = jobs.jobs().get(i);
      assertThat(predicted.job().id()).isEqualTo(measured.job().id());
      assertThat(predicted.startMillis())
          .as(predicted.job().id())
          .isCloseTo(measured.started().orElseThrow(), within(2_000L));
      waited = Math.max(waited, predicted.startMillis() - predicted.job().submitMillis());
    }
    assertThat(waited).as("there was a queue").isGreaterThan(60_000);
  }

  @Test
  void export_that_would_replace_its_journal_is_refused() throws IOException, InterruptedException {
    Path journal = folder.resolve(LiveExport.SNAPSHOT);
    live(journal);
    String before = Files.readString(journal);

    assertThatThrownBy(() -> export(journal))
        .hasMessageContaining(
            journal + " is an input (--journal); the results would overwrite it.");
    assertThat(journal).content().isEqualTo(before);
  }

  @Test
  void failed_export_keeps_the_old_one() throws IOException, InterruptedException {
    Path journal = folder.resolve("journal.jsonl");
    live(journal);
    ClusterSnapshot end = ClusterSnapshot.read(journal);
    Path before = Files.writeString(folder.resolve(LiveExport.SNAPSHOT), "the one before");
    Files.writeString(journal, "what is no turn\n", StandardOpenOption.APPEND);

    assertThatThrownBy(() ->
            new LiveExport(Set.of(), Optional.empty())
                .write(
                    folder,
                    new LiveExport.Sources(
                        end.header(), end.facts(), List.of(), Optional.of(journal))))
        .isInstanceOf(MalformedJournal.class);
    assertThat(before).content().isEqualTo("the one before");
    assertThat(folder).isDirectoryNotContaining("glob:**.half*");
  }

  @Test
  void order_of_hashed_nodes_reveals_no_names() throws IOException, InterruptedException {
    Path journal = folder.resolve("journal.jsonl");
    live(journal);
    ClusterSnapshot end = ClusterSnapshot.read(journal);
    new LiveExport(Set.of(), Optional.of(Pseudonymizer.random()))
        .write(
            folder, new LiveExport.Sources(end.header(), end.facts(), List.of(), Optional.empty()));

    try (Stream<String> lines = Files.lines(folder.resolve(LiveExport.SNAPSHOT))) {
      assertThat(lines.filter(line -> line.contains("\"NodeSeen\"")).map(ExportedRunTest::node))
          .hasSize(4)
          .isSorted();
    }
  }

  private static String node(String line) {
    return line.replaceFirst(".*?\"id\":(\\{[^}]*}|\"[^\"]*\").*", "$1");
  }

  private void export(Path journal) throws IOException {
    ClusterSnapshot end = ClusterSnapshot.read(journal);
    new LiveExport(Set.of(), Optional.empty())
        .write(
            folder,
            new LiveExport.Sources(end.header(), end.facts(), List.of(), Optional.of(journal)));
  }

  private RunResult simulated(JournalHeader header, Duration latency) throws InterruptedException {
    Fleet fleet = Fleets.of(folder.resolve(LiveExport.CLUSTER).toString());
    try (Trace trace = TraceFiles.open(folder.resolve(LiveExport.JOBS), TraceOptions.DEFAULT)) {
      SimulationSetup setup =
          new SimulationSetup("live", "muster", "", 42, trace.start(), List.of());
      return MusterRun.of(
          setup,
          fleet,
          trace,
          header.plainPolicies(),
          MusterRun.Options.of(latency, RunObserver.NONE));
    }
  }

  private static void live(Path file) throws IOException, InterruptedException {
    Topology flat = new Topology(List.of());
    Policies policies = Policies.DEFAULT;
    SimulationContext context =
        SimulationContext.of(Fleets.of("4x8"), SpeedModel.FULL, OutageSchedule.NONE, 0);
    VirtualCluster world =
        new VirtualCluster(
            context,
            START,
            new VirtualCluster.ControlPlane(LATENCY, LATENCY.multipliedBy(2), PodBinder.ALWAYS),
            PreemptionCost.NONE);
    world.sync();
    for (TraceJob job : jobs()) {
      context
          .queue()
          .schedule(
              job.submitMillis(),
              EventKind.SUBMISSION,
              () -> world.submit(context.recorder().submit(job), job, 0));
    }
    for (long second = 1; second < 3_600; second++) {
      context
          .queue()
          .schedule(
              second * 1_000, EventKind.DECISION, () -> world.add(new Event.Tick(world.now())));
    }
    JournalHeader header = JournalHeader.of(flat, policies, Map.of());
    List<String> complaints = new ArrayList<>();
    try (JournalWriter journal = JournalWriter.open(file, header, complaints::add)) {
      new Driver(new Engine(policies), () -> next(context, world), journal, world)
          .run(State.empty(flat, policies));
    }
    assertThat(complaints).isEmpty();
  }

  private static Optional<Event> next(SimulationContext context, VirtualCluster world) {
    Optional<Event> event = world.next();
    while (event.isEmpty() && context.queue().nextAt() < EventQueue.NEVER) {
      context.advance(context.queue().nextAt());
      context.queue().runNext();
      event = world.next();
    }
    return event;
  }

  private static List<TraceJob> jobs() {
    Random random = new Random(7);
    List<TraceJob> jobs = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < GANGS; i++) {
      at += 1 + random.nextInt(6);
      int members = List.of(1, 1, 2, 4).get(random.nextInt(4));
      int gpus = List.of(1, 2, 4, 8).get(random.nextInt(4));
      long runtime = 1_000L * (10 + random.nextInt(50));
      jobs.add(
          new TraceJob(
              "g%02d".formatted(i),
              "",
              "ml",
              at * 1_000,
              runtime,
              members,
              members,
              TraceJobs.gpus(gpus),
              GangConstraints.NONE,
              0,
              ""));
    }
    return jobs;
  }
}

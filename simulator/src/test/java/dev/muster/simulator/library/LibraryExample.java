package dev.muster.simulator.library;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.simulator.baseline.BaselineOptions;
import dev.muster.simulator.baseline.NodeChoice;
import dev.muster.simulator.experiment.Assumptions;
import dev.muster.simulator.experiment.PolicyVariant;
import dev.muster.simulator.experiment.Scenario;
import dev.muster.simulator.experiment.TraceSource;
import dev.muster.simulator.fleet.Fleet;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.run.OutageSchedule;
import dev.muster.simulator.run.PreemptionCost;
import dev.muster.simulator.run.RunObserver;
import dev.muster.simulator.run.record.RunResult;
import dev.muster.simulator.run.record.SpeedModel;
import dev.muster.simulator.summary.Summary;
import dev.muster.simulator.summary.SummaryCalculation;
import dev.muster.simulator.trace.TraceOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Two policies on one trace, then the engine alone with one gang.
public final class LibraryExample {
  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  private LibraryExample() {}

  /// The argument is a trace in any of the formats that `--trace` takes.
  public static void main(String[] args) throws InterruptedException {
    TraceSource jobs = TraceSource.of(Path.of(args[0]), TraceOptions.DEFAULT);
    Fleet fleet = Fleets.of("2x8");
    BaselineOptions options = BaselineOptions.of(NodeChoice.CONSOLIDATED);
    Assumptions world =
        new Assumptions(
            SpeedModel.FULL, PreemptionCost.NONE, OutageSchedule.NONE, Duration.ZERO, options, 1);
    for (String policy : List.of("fifo-strict", "muster")) {
      PolicyVariant variant = PolicyVariant.of(policy, Optional.empty());
      RunResult run = new Scenario(fleet, jobs, variant, world, 42).run(RunObserver.NONE);
      Summary figures = SummaryCalculation.of(run);
      System.out.printf(
          "%s: %d jobs, mean wait %.1f s%n", policy, figures.jobs(), figures.waitS().mean());
    }
    decide(fleet);
  }

  private static void decide(Fleet fleet) {
    GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, "train");
    Request request = Request.of(Resources.of(Map.of("nvidia.com/gpu", 8L, "pods", 1L)), 8);
    List<Event> events = new ArrayList<>();
    fleet.nodes().forEach(node -> events.add(new Event.NodeSeen(START, node)));
    events.add(new Event.Synced(START));
    events.add(new Event.GangSeen(START, GangSpec.of(gang, 2, "ml", START)));
    for (int rank = 0; rank < 2; rank++) {
      MemberId pod = new MemberId("ml", "train-" + rank, "uid-" + rank);
      MemberState held = new MemberState.Held(false);
      events.add(
          new Event.MemberSeen(
              START, new Member(pod, gang, rank, 0, request, GangConstraints.NONE, held, START)));
    }
    Engine engine = new Engine(Policies.DEFAULT);
    State state = State.empty(fleet.topology(), Policies.DEFAULT);
    for (Event event : events) {
      Step step = engine.step(state, event);
      state = step.after();
      for (Effect effect : step.effects()) {
        if (effect instanceof Effect.WriteReservation promised) {
          for (Promise promise : promised.reservation().promises()) {
            System.out.println(promise.member().name() + " on " + promise.node().name());
          }
        }
      }
    }
  }
}

package dev.muster.core.engine;

import dev.muster.core.admission.Queue;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.QueueUsage;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.cycle.Cycle;
import dev.muster.core.cycle.GangAttempt;
import dev.muster.core.cycle.VisibleCapacity;
import dev.muster.core.decision.Decision;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Victim;
import dev.muster.core.kit.FaultyWorld;
import dev.muster.core.kit.Invariants;
import dev.muster.core.kit.Scene;
import dev.muster.core.node.Hold;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.core.preempt.PreemptionUpkeep;
import dev.muster.core.state.Effect;
import dev.muster.core.state.PendingMembers;
import dev.muster.core.state.Policies;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.Preemptions;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.state.WaitClass;
import dev.muster.core.upkeep.HoldUpkeep;
import dev.muster.core.upkeep.ReservationUpkeep;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Checks the promises of the design after every step of a [FaultyWorld]. Promises about the whole
/// image are checked after steps that changed it.
final class PromiseChecks implements FaultyWorld.Watch {
  private Cluster before = Cluster.empty(Scene.RACKS);
  private State last = State.of(before);

  /// When a place was last being drained.
  private Instant drained = Instant.EPOCH;

  @Override
  public void see(FaultyWorld world, Event event, Step step) {
    State state = step.after();
    noPreemptionIsOverlooked(world.policies(), event, last);
    last = state;
    if (!state.cluster().synced()) {
      return;
    }
    everyWaitingGangHasAReason(state);
    gangsStartWhole(step);
    maximaHold(world.policies(), step);
    victimsStandLower(world.policies(), step);
    victimsAreKnown(state.preemptions());
    if (isDraining(before) || isDraining(state.cluster())) {
      drained = state.cluster().now();
    }
    if (event instanceof Event.Tick) {
      timesEnd(world.policies(), state, drained);
    }
    if (!isAsBefore(state.cluster())) {
      nothingIsPromisedTwice(state);
      Invariants.check(state.cluster());
      nobodyIsForgotten(world.policies(), state);
      holesAreOpen(world.policies(), state);
    }
    before = state.cluster();
  }

  @SuppressWarnings("ReferenceEquality") // what nothing touched is the same object
  private boolean isAsBefore(Cluster now) {
    return now.nodes() == before.nodes()
        && now.gangs() == before.gangs()
        && now.reservations() == before.reservations()
        && now.holds() == before.holds()
        && now.ledger() == before.ledger();
  }

  /// A node may have lost what is in use on it; of that nothing is promised to anybody any more.
  private static void nothingIsPromisedTwice(State state) {
    for (NodeState node : state.cluster().nodes()) {
      Resources given = node.bound().sum().plus(node.promised());
      boolean hasGpus =
          node.usedGpus() + node.promisedGpus() + node.sharedGpus().gpus() <= node.node().gpus();
      for (NodeShare promised : node.promises()) {
        require(
            (hasGpus || (promised.gpus() == 0 && promised.gpuMilli() == 0))
                && promised.resources().asMap().keySet().stream()
                    .allMatch(name -> given.get(name) <= node.node().allocatable().get(name)),
            "promises more than it has (node, allocatable, used, promises, shared)",
            node.id(),
            node.node().allocatable(),
            node.bound().sum(),
            node.promises(),
            node.sharedGpus());
      }
    }
  }

  private static void everyWaitingGangHasAReason(State state) {
    for (Gang gang : state.cluster().gangs()) {
      boolean waits =
          gang.spec().isPresent() && !PendingMembers.of(state.cluster(), gang).isEmpty();
      require(
          !waits || state.why(gang.id()).isPresent() || isStarting(state, gang.id()),
          "waits without a reason",
          gang.id());
    }
  }

  /// Or on its way back: it is shown as such.
  private static boolean isStarting(State state, GangId gang) {
    return state.cluster().reservations().contains(gang);
  }

  /// The first pod of a gang is started only when every necessary member has its promise.
  private static void gangsStartWhole(Step step) {
    State state = step.after();
    for (Effect effect : step.effects()) {
      if (effect instanceof Effect.StartMember(GangId id, _, _)) {
        Gang gang = state.cluster().gang(id);
        Reservation reservation = state.cluster().reservations().get(id).orElseThrow();
        require(
            gang.boundCount() > 0 || reservation.ran() || state.cluster().lacking(gang) <= 0,
            "starts in part",
            id,
            gang.memberCounts(),
            reservation);
      }
    }
  }

  /// An admitted gang keeps its queue within its maxima.
  private static void maximaHold(Policies policies, Step step) {
    for (Decision decision : step.decisions()) {
      if (decision instanceof Decision.Admit(GangId id, _, _)) {
        Gang gang = step.after().cluster().gang(id);
        Queue queue = policies.queues().find(gang.queue()).orElseThrow();
        QueueUsage account = step.after().cluster().ledger().account(queue.name());
        boolean takes = gang.members().count(member -> member.request().gpus() > 0) > 0;
        int all = account.inUse();
        require(!takes || all <= queue.maximum().gpus().orElse(all), "over the maximum", queue);
        queue
            .maximum()
            .models()
            .forEach((said, most) ->
                require(
                    !takes || used(account, said) <= most,
                    "over the maximum of a model",
                    queue,
                    said));
      }
    }
  }

  /// A review of the preemptions touched by the event equals a review of all.
  private static void noPreemptionIsOverlooked(Policies policies, Event event, State old) {
    if (old.preemptions().reviewed().isPresent() && old.cluster().synced()) {
      Cycle cycle =
          Cycle.begin(old, event, policies).then(ReservationUpkeep::run).then(HoldUpkeep::run);
      State held = cycle.state();
      State some = cycle.then(PreemptionUpkeep::run).state();
      Preemptions known = held.preemptions();
      Preemptions unseen =
          new Preemptions(
              known.underWay(), known.victims(), Optional.empty(), known.pacing(), known.history());
      State all = cycle.with(held.with(unseen)).then(PreemptionUpkeep::run).state();
      boolean same =
          some.preemptions().underWay().equals(all.preemptions().underWay())
              && some.preemptions().again().equals(all.preemptions().again())
              && some.cluster().holds().equals(all.cluster().holds())
              && some.cluster().reservations().equals(all.cluster().reservations());
      require(same, "overlooks a preemption", event, some.preemptions(), all.preemptions());
    }
  }

  /// Each victim has a known preemptor.
  private static void victimsAreKnown(Preemptions preemptions) {
    SortedTable<GangId, GangId> victims = SortedTable.empty();
    for (Preemption preemption : preemptions.underWay()) {
      for (GangId victim : preemption.stops().keys()) {
        victims = victims.with(victim, preemption.gang());
      }
    }
    require(victims.equals(preemptions.victims()), "not the victims", victims, preemptions);
  }

  private static void victimsStandLower(Policies policies, Step step) {
    for (Decision decision : step.decisions()) {
      if (decision instanceof Decision.Preempt(GangId id, var victims, _, _, _, _)) {
        for (Victim victim : victims) {
          Cluster cluster = step.after().cluster();
          int above = policies.priority(cluster.gang(id));
          int below = policies.priority(cluster.gang(victim.gang()));
          require(below < above, "is stopped for one that stands no higher", victim, id);
        }
      }
    }
  }

  private static int used(QueueUsage account, String said) {
    GpuModelPreference choice = new GpuModelPreference(List.of(said), false);
    return account.inUse(choice::accepts);
  }

  private static boolean isDraining(Cluster cluster) {
    return cluster.holds().any(hold -> hold.kind() == Hold.Kind.DRAINING);
  }

  /// Every hold has a bounded duration. A plan that is too old becomes a draining hold, two per
  /// second, unless a place drains for another gang. A plan that starts now was made at this tick,
  /// since it waits only for terminating members.
  private static void timesEnd(Policies policies, State state, Instant drained) {
    var now = state.cluster().now();
    for (Reservation reservation : state.cluster().reservations()) {
      require(reservation.until().isAfter(now), "overdue", reservation);
    }
    for (Hold hold : state.cluster().holds()) {
      boolean waits =
          switch (hold.kind()) {
            case HOLE -> hold.since().plus(policies.repairTimeout()).isAfter(now);
            case ENDING -> hold.since().plus(Hold.ENDING_WITHIN).isAfter(now);
            case PLANNED -> {
              Instant aged =
                  state
                      .forecast(hold.gang(), hold.since())
                      .drained(policies.backfill().drainAfter());
              Instant due = aged.isAfter(drained) ? aged : drained.plusSeconds(1);
              yield hold.start().filter(now::equals).isPresent()
                  || due.plusSeconds(policies.backfill().depth() / 2).isAfter(now);
            }
            case DRAINING, EXCEEDING, VACATING, RECLAIMING -> true;
          };
      require(waits, "overdue", hold);
    }
  }

  /// No waiting gang would be admitted by a new attempt.
  private static void nobodyIsForgotten(Policies policies, State state) {
    for (GangId id : state.waiting().seats().keys()) {
      require(
          !alone(id, state, policies).isAdmitted(), "would fit now but waits", id, state.why(id));
    }
  }

  /// Capacity of a failed member stays available to its replacement, whichever gangs wait for it.
  /// Capacity held permanently there is excepted.
  private static void holesAreOpen(Policies policies, State state) {
    for (Hold hole : state.cluster().holds()) {
      if (hole.kind() == Hold.Kind.HOLE) {
        Gang gang = state.cluster().gang(hole.gang());
        Cluster image = VisibleCapacity.of(state, gang, policies.order()).image();
        for (NodeId id : hole.shares().keys()) {
          Optional<NodeState> node = state.cluster().nodes().get(id);
          int left = node.map(n -> n.freeGpus() + n.withheld().gpus()).orElse(0);
          int own = node.map(n -> gpusLacked(hole, n)).orElse(0);
          int others = -own;
          for (Hold hold : state.cluster().holds()) {
            others += hold.yieldsToHigher() ? 0 : node.map(n -> gpusLacked(hold, n)).orElse(0);
          }
          int open = image.nodes().get(id).map(NodeState::freeGpus).orElse(0);
          require(open >= Math.min(own, left - others), "lost its hole", hole, id, open);
        }
      }
    }
  }

  /// Of what is kept on the node: those whose end it counts on may still be there.
  private static int gpusLacked(Hold hold, NodeState node) {
    int lacked = hold.shares().get(node.id()).map(share -> share.needs().gpus()).orElse(0);
    for (MemberId pod :
        hold.shares().get(node.id()).map(share -> share.leavers().asList()).orElse(List.of())) {
      lacked -= node.occupants().get(pod).map(NodeShare::gpus).orElse(0);
    }
    return Math.max(0, lacked);
  }

  static void require(boolean holds, String problem, Object... about) {
    if (!holds) {
      throw new AssertionError(problem + ": " + Arrays.toString(about));
    }
  }

  /// The gang's turn, whatever others were answered.
  static GangAttempt alone(GangId id, State state, Policies policies) {
    Set<WaitClass.Key> all = new TreeSet<>(state.waiting().classes().keys());
    return GangAttempt.of(id, state, policies, all, new VisibleCapacity.Images(), false);
  }
}

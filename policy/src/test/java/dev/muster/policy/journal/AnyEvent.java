package dev.muster.policy.journal;

import static dev.muster.policy.journal.AnyGang.gangIds;
import static dev.muster.policy.journal.AnyGang.instants;
import static dev.muster.policy.journal.AnyGang.memberIds;
import static dev.muster.policy.journal.AnyGang.nodeIds;
import static dev.muster.policy.journal.AnyGang.resources;
import static dev.muster.policy.journal.AnyGang.texts;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Taint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/// Generates events, with equal probability of each kind.
final class AnyEvent {

  private AnyEvent() {}

  static Arbitrary<Event> events() {
    return Arbitraries.oneOf(facts(), outcomes());
  }

  private static Arbitrary<Event> facts() {
    return Arbitraries.oneOf(
        Combinators.combine(instants(), nodes()).as(Event.NodeSeen::new),
        Combinators.combine(instants(), nodeIds()).as(Event.NodeGone::new),
        Combinators.combine(instants(), AnyGang.specs()).as(Event.GangSeen::new),
        Combinators.combine(instants(), gangIds()).as(Event.GangGone::new),
        Combinators.combine(instants(), AnyGang.members()).as(Event.MemberSeen::new),
        Combinators.combine(instants(), gangIds(), discrepancies())
            .as(Event.DiscrepanciesSeen::new),
        Combinators.combine(instants(), gangIds(), memberIds()).as(Event.MemberGone::new),
        Combinators.combine(instants(), memberIds(), nodeIds(), resources(), Arbitraries.integers())
            .as(Event.UnmanagedPodSeen::new),
        Combinators.combine(instants(), memberIds()).as(Event.UnmanagedPodGone::new),
        Combinators.combine(instants(), AnyGang.members(), memberIds()).as(AnyEvent::changed));
  }

  private static Arbitrary<SpentBudget> spentBudgets() {
    return Combinators.combine(
            Arbitraries.of(BudgetOwner.Kind.values()),
            texts(),
            Arbitraries.longs(),
            Arbitraries.longs(),
            instants())
        .as((kind, name, used, hours, until) ->
            new SpentBudget(new BudgetOwner(kind, name), used, hours, until));
  }

  private static Arbitrary<Discrepancies> discrepancies() {
    return Combinators.combine(
            texts().optional(),
            Arbitraries.maps(AnyGang.keys(), Arbitraries.integers()).ofMaxSize(3).map(TreeMap::new),
            Arbitraries.integers(),
            texts().optional())
        .as(Discrepancies::new);
  }

  private static Event changed(Instant at, Member seen, MemberId gone) {
    GangId gang = seen.gang();
    return new Event.GangChanged(
        at,
        gang,
        List.of(
            new Event.MemberSeen(at, seen),
            new Event.GangGone(at, gang),
            new Event.MemberGone(at, gang, gone)));
  }

  private static Arbitrary<Event> outcomes() {
    return Arbitraries.oneOf(
        instants().map(Event.Synced::new),
        instants().map(Event.Tick::new),
        Combinators.combine(instants(), texts()).as(Event.PolicyChanged::new),
        Combinators.combine(instants(), spentBudgets().list().ofMaxSize(3))
            .as(Event.BudgetsSpent::new),
        Combinators.combine(instants(), gangIds(), Arbitraries.integers())
            .as(Event.ReservationWritten::new),
        Combinators.combine(instants(), gangIds(), texts()).as(Event.ReservationNotWritten::new),
        Combinators.combine(instants(), gangIds(), memberIds(), nodeIds())
            .as(Event.MemberStarted::new),
        Combinators.combine(instants(), gangIds(), memberIds(), nodeIds(), texts())
            .as(Event.MemberNotStarted::new),
        Combinators.combine(instants(), gangIds(), instants()).as(Event.StartDelayed::new),
        Combinators.combine(instants(), gangIds()).as(Event.VictimsRecorded::new),
        Combinators.combine(instants(), gangIds(), texts()).as(Event.VictimsNotRecorded::new),
        Combinators.combine(instants(), gangIds()).as(Event.VictimTold::new),
        Combinators.combine(
                instants(), gangIds(), memberIds(), Arbitraries.of(true, false), texts())
            .as(Event.MemberNotEvicted::new));
  }

  private static Arbitrary<Node> nodes() {
    return Combinators.combine(
            nodeIds(),
            labels(),
            resources(),
            Arbitraries.integers(),
            models(),
            taints().list().ofMaxSize(3),
            Arbitraries.of(true, false),
            texts().list().ofMaxSize(3))
        .as(Node::new);
  }

  private static Arbitrary<SortedMap<String, String>> labels() {
    return Arbitraries.maps(AnyGang.keys(), texts()).ofMaxSize(4).map(TreeMap::new);
  }

  private static Arbitrary<GpuModel> models() {
    return Combinators.combine(
            texts(), Arbitraries.of(GpuModel.Kind.class), Arbitraries.longs(), texts())
        .as(GpuModel::new);
  }

  private static Arbitrary<Taint> taints() {
    return Combinators.combine(texts(), texts(), Arbitraries.of(Taint.Effect.class)).as(Taint::new);
  }
}

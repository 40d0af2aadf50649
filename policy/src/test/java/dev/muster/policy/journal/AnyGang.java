package dev.muster.policy.journal;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberReport;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.PreemptionPreference;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.Victim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/// Generates gangs and members, valid or not, since the journal accepts everything that the core
/// accepts.
final class AnyGang {

  private AnyGang() {}

  /// Any sequence of UTF-16 units, halves of surrogate pairs and control signs included.
  static Arbitrary<String> texts() {
    return Arbitraries.strings().all().ofMaxLength(12);
  }

  /// Generates strings like [#texts], but whole code points: Jackson reads no other field names.
  static Arbitrary<String> keys() {
    return texts().filter(StandardCharsets.UTF_8.newEncoder()::canEncode);
  }

  private static Arbitrary<String> names() {
    return texts().filter(text -> !text.isBlank());
  }

  static Arbitrary<Instant> instants() {
    return Combinators.combine(
            Arbitraries.longs().between(Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond()),
            Arbitraries.integers().between(0, 999_999_999))
        .as(Instant::ofEpochSecond);
  }

  private static Arbitrary<Duration> durations() {
    Arbitrary<Duration> ordinary =
        Arbitraries.longs().between(0, 100_000_000).map(Duration::ofMillis);
    Arbitrary<Duration> strange =
        Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 999_999_999))
            .as((seconds, nanos) -> Duration.ofSeconds(seconds, nanos));
    return Arbitraries.oneOf(ordinary, strange);
  }

  static Arbitrary<NodeId> nodeIds() {
    return names().map(NodeId::new);
  }

  static Arbitrary<MemberId> memberIds() {
    return Combinators.combine(names(), names(), names()).as(MemberId::new);
  }

  static Arbitrary<GangId> gangIds() {
    return Combinators.combine(names(), Arbitraries.of(GangId.Origin.class), names())
        .as(GangId::new);
  }

  static Arbitrary<Resources> resources() {
    return Arbitraries.maps(keys(), Arbitraries.longs()).ofMaxSize(4).map(Resources::of);
  }

  static Arbitrary<GangSpec> specs() {
    Arbitrary<GpuModelPreference> gpus = gpuChoices();
    Arbitrary<TopologyConstraint> topology = topologies();
    Arbitrary<GangSpec> unrecorded =
        Combinators.combine(
                gangIds(),
                Arbitraries.integers().greaterOrEqual(1),
                texts(),
                Arbitraries.integers().optional(),
                topology,
                gpus,
                durations().optional(),
                instants())
            .as(AnyGang::unrecorded);
    return Combinators.combine(
            unrecorded, recorded(), preemptions(), journalLabels(), pasts().optional())
        .as((spec, promised, preemption, labels, past) ->
            spec.recording(promised).recording(preemption).labelled(labels).recalling(past));
  }

  private static Arbitrary<GangPast> pasts() {
    Arbitrary<GangPast.RunEnd> ends =
        Combinators.combine(Arbitraries.integers(), Arbitraries.integers())
            .as(GangPast.RunEnd::new);
    return Combinators.combine(
            Arbitraries.integers().optional(),
            instants().optional(),
            ends.optional(),
            instants().optional())
        .as(GangPast::new);
  }

  static Arbitrary<SortedMap<String, String>> journalLabels() {
    return Arbitraries.maps(keys(), texts()).ofMaxSize(3).map(TreeMap::new);
  }

  private static Arbitrary<PreemptionRecord> preemptions() {
    Arbitrary<SortedKeys<MemberId>> pods =
        memberIds().map(pod -> SortedKeys.<MemberId>empty().with(pod));
    Arbitrary<Victim> victims =
        Combinators.combine(gangIds(), pods, texts(), Arbitraries.longs()).as(Victim::new);
    Arbitrary<SortedTable<GangId, Victim>> tables =
        victims.map(victim -> SortedTable.<GangId, Victim>empty().with(victim.gang(), victim));
    Arbitrary<PreemptionRecord.Notice> notices =
        Combinators.combine(gangIds(), instants().optional()).as(PreemptionRecord.Notice::new);
    return Combinators.combine(tables, instants().list().ofMaxSize(2), notices.optional())
        .as(PreemptionRecord::new);
  }

  private static GangSpec unrecorded(
      GangId id,
      int minCount,
      String queue,
      Optional<Integer> priority,
      TopologyConstraint topology,
      GpuModelPreference gpus,
      Optional<Duration> patience,
      Instant createdAt) {
    return GangSpec.of(id, minCount, queue, createdAt)
        .upTo(
            priority.map(
                more -> minCount + Math.min(Math.abs(more % 9), Integer.MAX_VALUE - minCount)))
        .prior(priority)
        .wishing(new GangConstraints(topology, gpus, patience))
        .gatheringWithin(patience)
        .running(queue);
  }

  private static Arbitrary<SortedTable<MemberId, NodeId>> recorded() {
    return Arbitraries.maps(memberIds(), nodeIds()).ofMaxSize(3).map(AnyGang::table);
  }

  private static SortedTable<MemberId, NodeId> table(Map<MemberId, NodeId> nodes) {
    SortedTable<MemberId, NodeId> table = SortedTable.empty();
    for (var node : nodes.entrySet()) {
      table = table.with(node.getKey(), node.getValue());
    }
    return table;
  }

  static Arbitrary<Member> members() {
    return Combinators.combine(
            memberIds(),
            gangIds(),
            Arbitraries.longs(),
            Arbitraries.integers(),
            requests(),
            wishes(),
            states(),
            Combinators.combine(instants(), reports()).as(Said::new))
        .as((id, gang, rank, priority, request, constraints, state, said) ->
            new Member(
                id, gang, rank, priority, request, constraints, state, said.at(), said.report()));
  }

  private record Said(Instant at, MemberReport report) {}

  private static Arbitrary<MemberReport> reports() {
    return Combinators.combine(
            instants().optional(), instants().optional(), instants().optional(), texts().optional())
        .as(MemberReport::new);
  }

  private static Arbitrary<GangConstraints> wishes() {
    Arbitrary<PreemptionPreference> preference =
        Combinators.combine(flags(), Arbitraries.longs().between(0, 99).map(Duration::ofSeconds))
            .as(PreemptionPreference::new);
    return Combinators.combine(
            topologies(),
            gpuChoices(),
            durations().optional(),
            preference,
            Arbitraries.integers().between(1, 99).optional())
        .as(GangConstraints::new);
  }

  private static Arbitrary<GpuModelPreference> gpuChoices() {
    return Combinators.combine(texts().list().ofMaxSize(3), flags()).as(GpuModelPreference::new);
  }

  private static Arbitrary<TopologyConstraint> topologies() {
    Arbitrary<Slices> slices =
        Combinators.combine(Arbitraries.integers().between(1, 99), texts()).as(Slices::new);
    return Combinators.combine(
            texts().optional(),
            texts().optional(),
            slices.optional(),
            Arbitraries.of(TopologyConstraint.Layout.class))
        .as(TopologyConstraint::new);
  }

  private static Arbitrary<MemberState> states() {
    return Arbitraries.oneOf(
        flags().map(MemberState.Held::new),
        Combinators.combine(nodeIds().optional(), flags()).as(MemberState.Waiting::new),
        Combinators.combine(nodeIds(), instants()).as(MemberState.Bound::new),
        nodeIds().optional().map(MemberState.Leaving::new),
        flags().map(MemberState.Ended::new));
  }

  private static Arbitrary<Request> requests() {
    Arbitrary<Request> whole =
        Combinators.combine(
                resources(), Arbitraries.integers().greaterOrEqual(0), selections(), flags())
            .as((resources, gpus, selection, alone) ->
                new Request(resources, gpus, 0, selection, alone));
    Arbitrary<Request> shared =
        Combinators.combine(resources(), Arbitraries.integers().between(1, 999), selections())
            .as((resources, milli, selection) ->
                new Request(resources, 0, milli, selection, false));
    return Arbitraries.oneOf(whole, shared);
  }

  private static Arbitrary<NodeSelection> selections() {
    Arbitrary<Requirement> requirement =
        Combinators.combine(
                texts(), Arbitraries.of(Requirement.Operator.class), texts().list().ofMaxSize(2))
            .as(Requirement::new);
    Arbitrary<Toleration> toleration =
        Combinators.combine(
                texts().optional(),
                texts().optional(),
                Arbitraries.of(Taint.Effect.class).optional())
            .as(Toleration::new);
    Arbitrary<PreferredTerm> preferred =
        Combinators.combine(
                Arbitraries.integers().between(1, 100),
                requirement.list().ofMinSize(1).ofMaxSize(2))
            .as(PreferredTerm::new);
    return Combinators.combine(
            requirement.list().ofMaxSize(2),
            requirement.list().ofMaxSize(2).list().ofMaxSize(2),
            toleration.list().ofMaxSize(2),
            preferred.list().ofMaxSize(2))
        .as(NodeSelection::new);
  }

  private static Arbitrary<Boolean> flags() {
    return Arbitraries.of(true, false);
  }
}

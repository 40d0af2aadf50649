package dev.muster.policy.journal;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuChoice;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.Wishes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Any gang, member and part of them, sane or not: the journal takes what the core takes. */
final class AnyGang {

  private AnyGang() {}

  /** Any sequence of UTF-16 units, halves of surrogate pairs and control signs included. */
  static Arbitrary<String> texts() {
    return Arbitraries.strings().all().ofMaxLength(12);
  }

  /** As {@link #texts}, but whole code points: Jackson reads no other field names. */
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
    Arbitrary<GpuChoice> gpus = gpuChoices();
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
    return Combinators.combine(unrecorded, recorded()).as(AnyGang::with);
  }

  private static GangSpec unrecorded(
      GangId id,
      int minCount,
      String queue,
      Optional<Integer> priority,
      TopologyConstraint topology,
      GpuChoice gpus,
      Optional<Duration> bindTimeout,
      Instant createdAt) {
    return new GangSpec(
        id, minCount, queue, priority, topology, gpus, bindTimeout, createdAt, SortedTable.empty());
  }

  private static GangSpec with(GangSpec spec, SortedTable<MemberId, NodeId> recorded) {
    return new GangSpec(
        spec.id(),
        spec.minCount(),
        spec.queue(),
        spec.priority(),
        spec.topology(),
        spec.gpus(),
        spec.bindTimeout(),
        spec.createdAt(),
        recorded);
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
            instants())
        .as(Member::new);
  }

  private static Arbitrary<Wishes> wishes() {
    return Combinators.combine(topologies(), gpuChoices()).as(Wishes::new);
  }

  private static Arbitrary<GpuChoice> gpuChoices() {
    return Combinators.combine(texts().list().ofMaxSize(3), flags()).as(GpuChoice::new);
  }

  private static Arbitrary<TopologyConstraint> topologies() {
    return Combinators.combine(texts().optional(), texts().optional()).as(TopologyConstraint::new);
  }

  private static Arbitrary<MemberState> states() {
    return Arbitraries.oneOf(
        flags().map(MemberState.Held::new),
        Combinators.combine(nodeIds().optional(), flags()).as(MemberState.Waiting::new),
        nodeIds().map(MemberState.Bound::new),
        nodeIds().optional().map(MemberState.Leaving::new),
        flags().map(MemberState.Ended::new));
  }

  private static Arbitrary<Request> requests() {
    return Combinators.combine(
            resources(), Arbitraries.integers().greaterOrEqual(0), selections(), flags())
        .as(Request::new);
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
    return Combinators.combine(
            requirement.list().ofMaxSize(2),
            requirement.list().ofMaxSize(2).list().ofMaxSize(2),
            toleration.list().ofMaxSize(2))
        .as(NodeSelection::new);
  }

  private static Arbitrary<Boolean> flags() {
    return Arbitraries.of(true, false);
  }
}

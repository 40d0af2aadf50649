package dev.muster.core.kit;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A gang of equal members as clusters see them: pods with CPU and memory, a uid, tolerations. No
/// two of its objects share parts, like objects read from the API server.
///
/// @param number tells it from others, and how old it is: smaller is older
/// @param members how many pods
/// @param gpusEach GPUs of each
/// @param coresEach cores of each
/// @param priority its pods' priority
/// @param model the only GPU model that will do, if any
/// @param level the level that all must share, if any
record ScenarioJob(
    int number,
    int members,
    int gpusEach,
    int coresEach,
    int priority,
    Optional<String> model,
    Optional<String> level) {
  /// Cores that go with each GPU.
  static final int CORES = 14;

  static ScenarioJob of(int number, int members, int gpusEach) {
    return new ScenarioJob(
        number, members, gpusEach, CORES * gpusEach, 0, Optional.empty(), Optional.empty());
  }

  ScenarioJob on(String only) {
    return new ScenarioJob(
        number, members, gpusEach, coresEach, priority, Optional.of(only), level);
  }

  ScenarioJob within(String required) {
    return new ScenarioJob(
        number, members, gpusEach, coresEach, priority, model, Optional.of(required));
  }

  ScenarioJob cores(int each) {
    return new ScenarioJob(number, members, gpusEach, each, priority, model, level);
  }

  ScenarioJob priority(int value) {
    return new ScenarioJob(number, members, gpusEach, coresEach, value, model, level);
  }

  Request request() {
    Resources resources =
        Resources.of(
            Map.of(
                "nvidia.com/gpu",
                (long) gpusEach,
                Resources.CPU,
                1000L * coresEach,
                Resources.MEMORY,
                (100L * gpusEach) << 30,
                Resources.PODS,
                1L));
    Toleration gpus =
        new Toleration(Optional.of("nvidia.com/gpu"), Optional.empty(), Optional.empty());
    return new Request(
        resources, gpusEach, 0, new NodeSelection(List.of(), List.of(), List.of(gpus)), false);
  }

  GangSpec spec() {
    GpuModelPreference gpus = new GpuModelPreference(model.stream().toList(), false);
    return GangSpec.of(id(), members, namespace(), createdAt())
        .wishing(GangConstraints.of(TopologyConstraint.of(level, Optional.empty()), gpus));
  }

  Member member(int rank, MemberState state) {
    String name = "%s-worker-%d".formatted(id().name(), rank);
    String uid = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    return new Member(
        new MemberId(namespace(), name, uid),
        id(),
        rank,
        priority,
        request(),
        GangConstraints.NONE,
        state,
        createdAt());
  }

  /// The events that tell of it while its members are held by our gate.
  List<Event> arrival() {
    List<Event> events = new ArrayList<>();
    events.add(new Event.GangSeen(BusyCluster.NOW, spec()));
    for (int rank = 0; rank < members; rank++) {
      events.add(new Event.MemberSeen(BusyCluster.NOW, member(rank, new MemberState.Held(false))));
    }
    return events;
  }

  private GangId id() {
    return new GangId(namespace(), GangId.Origin.POD_GROUP, "train-%06d".formatted(number));
  }

  private String namespace() {
    return "team-%02d".formatted(number % 20);
  }

  private Instant createdAt() {
    return BusyCluster.NOW.minusSeconds(200_000).plusSeconds(number);
  }
}

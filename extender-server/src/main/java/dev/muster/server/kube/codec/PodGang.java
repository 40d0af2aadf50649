package dev.muster.server.kube.codec;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionPreference;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.start.StartSwitch;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// Reads the gang of a pod, and the gang data that the pod itself states.
public final class PodGang {
  private static final List<String> VOLCANO =
      List.of(WellKnownNames.VOLCANO_GROUP, WellKnownNames.VOLCANO_GROUP_OLD);

  private PodGang() {}

  /// Returns the gang of the pod: the first PodGroup that it names, in any dialect, else the pod
  /// alone. A [StartSwitch] is no gang.
  public static GangId of(Pod pod) {
    String namespace = pod.getMetadata().getNamespace();
    String labelled = ObjectMetadata.labels(pod).getOrDefault(WellKnownNames.POD_GROUP, "").strip();
    if (!labelled.isEmpty()) {
      return new GangId(namespace, Origin.POD_GROUP, labelled);
    }
    PodSchedulingGroup group = pod.getSpec().getSchedulingGroup();
    String named = group == null ? "" : Objects.requireNonNullElse(group.getPodGroupName(), "");
    if (!named.isEmpty() && !StartSwitch.isOne(named)) {
      return new GangId(namespace, Origin.NATIVE, named);
    }
    return VOLCANO.stream()
        .map(key -> ObjectMetadata.annotations(pod).getOrDefault(key, "").strip())
        .filter(ObjectMetadata::isName)
        .findFirst()
        .map(name -> new GangId(namespace, Origin.VOLCANO, name))
        .orElseGet(() -> new GangId(namespace, Origin.POD, pod.getMetadata().getName()));
  }

  /// Returns the pod's constraints and preferences, its `activeDeadlineSeconds`, and whether its
  /// PriorityClass permits preemption of others.
  static GangConstraints constraints(Pod pod) {
    Mistakes mistakes = new Mistakes();
    GangConstraints said = GangConstraintsCodec.of(pod, mistakes).constraints();
    VOLCANO.forEach(key -> name(pod, key).ifPresent(mistakes::note));
    mistakes.refuse(UnknownKeys.texts(pod));
    Optional<Duration> deadline =
        Optional.ofNullable(pod.getSpec().getActiveDeadlineSeconds())
            .filter(seconds -> seconds > 0)
            .map(Duration::ofSeconds);
    Optional<Boolean> others =
        "Never".equals(pod.getSpec().getPreemptionPolicy()) ? Optional.of(false) : Optional.empty();
    PreemptionPreference preference = new PreemptionPreference(true, Duration.ZERO, others);
    return said.or(
        new GangConstraints(TopologyConstraint.NONE, GpuModelPreference.ANY, deadline, preference));
  }

  /// Returns the mistake in this annotation; empty if it is absent or names a PodGroup.
  private static Optional<String> name(Pod pod, String key) {
    String text = ObjectMetadata.annotations(pod).getOrDefault(key, "").strip();
    return text.isEmpty() || ObjectMetadata.isName(text)
        ? Optional.empty()
        : Optional.of(
            "The annotation %s is (%s); it must be the name of a PodGroup: 1 to 253 letters, digits, '-', '.' and '_', with a letter or digit at both ends."
                .formatted(key, Mistakes.shown(text)));
  }

  /// True if the pod states the data of its gang, so that no PodGroup is needed for them.
  static boolean isStatedBy(Pod pod, GangId gang) {
    return switch (gang.origin()) {
      case POD -> true;
      case VOLCANO ->
          ObjectMetadata.annotations(pod).containsKey(WellKnownNames.VOLCANO_MIN_MEMBER);
      case POD_GROUP, NATIVE -> false;
    };
  }

  /// Returns the gang data that the pod states.
  ///
  /// @throws IllegalArgumentException if the stated data are invalid
  static GangSpec stated(Pod pod, Member member) {
    GangConstraintsCodec wishes = GangConstraintsCodec.of(pod, new Mistakes());
    int minCount =
        member.gang().origin() == Origin.POD ? 1 : minMember(ObjectMetadata.annotations(pod));
    String queue = wishes.queue().orElse(member.gang().namespace());
    return GangSpec.of(member.gang(), minCount, queue, member.createdAt())
        .upTo(wishes.maxCount().map(most -> Math.max(most, minCount)))
        .wishing(member.wishes())
        .running(RunLineage.of(pod))
        .recording(recorded(member))
        .labelled(new TreeMap<>(ObjectMetadata.labels(pod)))
        .recording(VictimsRecord.read(pod));
  }

  private static int minMember(Map<String, String> annotations) {
    String text = annotations.getOrDefault(WellKnownNames.VOLCANO_MIN_MEMBER, "").strip();
    if (!text.matches("0*[1-9]\\d{0,8}")) {
      throw new IllegalArgumentException(
          "The annotation %s is (%s); it must be a whole number, 1 or more."
              .formatted(WellKnownNames.VOLCANO_MIN_MEMBER, Mistakes.shown(text)));
    }
    return Integer.parseInt(text);
  }

  private static SortedTable<MemberId, NodeId> recorded(Member member) {
    SortedTable<MemberId, NodeId> none = SortedTable.empty();
    return member.state() instanceof MemberState.Waiting(Optional<NodeId> nominated, _, _, _)
            && nominated.isPresent()
        ? none.with(member.id(), nominated.get())
        : none;
  }
}

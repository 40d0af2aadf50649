package dev.muster.server.kube.codec;

import dev.muster.core.gang.MemberState.EarlyFailure;
import dev.muster.server.kube.client.JsonBodies;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads how a pod got its node, and how its start went wrong: kube-scheduler refused it, or it
/// failed early.
public final class PodStart {
  /// The place of the start and the end of containers, for messages.
  static final String CONTAINER_TIMES = "state.terminated in status.containerStatuses";

  private static final Set<String> REFUSALS = Set.of("Unschedulable", "SchedulerError");

  /// Reasons of a failed pod that say nothing about its start: others ended it.
  private static final Set<String> ENDED_BY_OTHERS =
      Set.of("DeadlineExceeded", "Evicted", "NodeLost", "NodeShutdown", "Shutdown", "Terminated");

  /// The time up to which a pod has failed early. Image pulls do not count.
  private static final Duration EARLY = Duration.ofSeconds(10);

  private static final int LONGEST = 256;
  private static final Pattern HEAD = Pattern.compile("^0/(\\d{1,9}) nodes are available:\\s*");
  private static final Pattern PREEMPTION =
      Pattern.compile("(^|\\s+)(no new claims to deallocate, )?preemption: .*$", Pattern.DOTALL);

  /// The result of kube-scheduler's own preemption follows the reasons after a period.
  private static final Pattern AFTER_REASONS = Pattern.compile("\\.\\s.*$", Pattern.DOTALL);

  private static final Pattern BETWEEN = Pattern.compile(", (?=\\d+ )");
  private static final Pattern COUNT = Pattern.compile("^\\d+ ");
  private static final Pattern SPACES = Pattern.compile("\\s+");

  private PodStart() {}

  /// True if only the creator of the pod has chosen its node. Such a pod takes nothing until the
  /// kubelet accepts it, and the kubelet may reject it.
  ///
  /// A binding and the kubelet both set the condition `PodScheduled`. The creator cannot: the API
  /// server clears the status of a new pod. After a binding whose answer was lost, kube-scheduler
  /// sets it to false for a time.
  static boolean isUnaccepted(Pod pod) {
    String phase = PodCodec.text(PodCodec.status(pod).getPhase());
    return PodCodec.node(pod.getSpec().getNodeName()).isPresent()
        && (phase.isEmpty() || phase.equals("Pending"))
        && isScheduled(pod).findAny().isEmpty();
  }

  /// Returns the condition that the pod has a node.
  private static Optional<PodCondition> acceptance(Pod pod) {
    return isScheduled(pod).filter(condition -> "True".equals(condition.getStatus())).findFirst();
  }

  private static Stream<PodCondition> isScheduled(Pod pod) {
    return PodCodec.status(pod).getConditions().stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()));
  }

  /// Returns the time of the binding, or the creation time if the conditions do not state it.
  public static Instant boundAt(Pod pod) {
    return acceptance(pod)
        .filter(condition -> condition.getLastTransitionTime() != null)
        .map(PodStart::since)
        .orElseGet(() -> JsonBodies.created(pod));
  }

  /// Returns the condition by which kube-scheduler refuses the pod.
  static Optional<PodCondition> refusal(Pod pod) {
    return PodCodec.status(pod).getConditions().stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .filter(condition -> "False".equals(condition.getStatus()))
        .filter(condition -> REFUSALS.contains(PodCodec.text(condition.getReason())))
        .findFirst();
  }

  /// Returns kube-scheduler's own reasons from the message of its condition.
  ///
  /// Numbers of nodes, the result of its preemption and the reasons of Muster's filter are left
  /// out. So the text is equal as long as the reasons are. Example:
  ///
  /// ```
  /// 0/3 nodes are available: 1 Insufficient cpu, 2 muster: reserved on another node. preemption: …
  /// Insufficient cpu
  /// ```
  static Optional<String> reasons(String message) {
    String body = PREEMPTION.matcher(message.strip()).replaceFirst("");
    boolean counted = HEAD.matcher(body).find();
    String tail = HEAD.matcher(body).replaceFirst("");
    String list =
        (counted ? AFTER_REASONS.matcher(tail).replaceFirst("") : tail)
            .strip()
            .replaceFirst("\\.$", "");
    String reasons =
        Stream.of(counted ? BETWEEN.split(list) : new String[] {list})
            .map(reason -> counted ? COUNT.matcher(reason).replaceFirst("") : reason)
            .map(reason -> SPACES.matcher(reason).replaceAll(" ").strip())
            .filter(reason -> !reason.isEmpty() && !reason.startsWith("muster"))
            .sorted()
            .distinct()
            .collect(Collectors.joining(", "));
    return Optional.of(cut(reasons)).filter(text -> !text.isEmpty());
  }

  /// Returns the number of nodes that kube-scheduler knew, from the message of its condition.
  static Optional<Integer> nodes(String message) {
    Matcher head = HEAD.matcher(message.strip());
    return head.find() ? Optional.of(Integer.valueOf(head.group(1))) : Optional.empty();
  }

  private static String cut(String text) {
    return text.codePointCount(0, text.length()) <= LONGEST
        ? text
        : text.substring(0, text.offsetByCodePoints(0, LONGEST - 1)) + "…";
  }

  /// Returns the failure of a pod that failed early: no container started, or all ended within 10
  /// s. A pod that was evicted, or ended by a deadline, did not fail by itself.
  static Optional<EarlyFailure> failure(Pod pod) {
    boolean ended =
        ENDED_BY_OTHERS.contains(PodCodec.text(PodCodec.status(pod).getReason()))
            || evictedAt(pod).isPresent();
    if (ended || !"Failed".equals(PodCodec.status(pod).getPhase())) {
      return Optional.empty();
    }
    Optional<Instant> start = times(pod, state -> startOf(state)).min(Comparator.naturalOrder());
    Optional<Instant> end = times(pod, state -> endOf(state)).max(Comparator.naturalOrder());
    boolean late =
        start.isPresent() && (end.isEmpty() || !end.get().isBefore(start.get().plus(EARLY)));
    return late
        ? Optional.empty()
        : PodCodec.node(pod.getSpec().getNodeName())
            .map(node -> new EarlyFailure(node, start.isEmpty() && end.isEmpty()));
  }

  /// Returns the time since which the pod is marked for eviction. The Eviction API, a preemption
  /// and the end of a node set this mark. A controller that deletes its pods does not.
  static Optional<Instant> evictedAt(Pod pod) {
    return PodCodec.status(pod).getConditions().stream()
        .filter(condition ->
            "DisruptionTarget".equals(condition.getType()) && "True".equals(condition.getStatus()))
        .findFirst()
        .map(PodStart::since);
  }

  /// Returns the time of the last change of a condition.
  static Instant since(PodCondition condition) {
    return JsonBodies.instant(
        "lastTransitionTime in status.conditions", condition.getLastTransitionTime());
  }

  private static @Nullable String startOf(ContainerState state) {
    return state.getTerminated() != null
        ? state.getTerminated().getStartedAt()
        : state.getRunning() != null ? state.getRunning().getStartedAt() : null;
  }

  private static @Nullable String endOf(ContainerState state) {
    return state.getTerminated() != null ? state.getTerminated().getFinishedAt() : null;
  }

  private static Stream<Instant> times(Pod pod, Function<ContainerState, @Nullable String> of) {
    return Stream.of(
            PodCodec.status(pod).getInitContainerStatuses(),
            PodCodec.status(pod).getContainerStatuses())
        .flatMap(List::stream)
        .map(ContainerStatus::getState)
        .filter(Objects::nonNull)
        .map(of)
        .filter(Objects::nonNull)
        .map(at -> JsonBodies.instant(CONTAINER_TIMES, at));
  }
}

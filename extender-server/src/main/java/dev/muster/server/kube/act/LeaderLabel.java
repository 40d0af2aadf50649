package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.Leadership;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the label [WellKnownNames#LEADING] on the pod of the leader, and on no other pod. The
/// Service selects this label, so a standby can be ready and gets no requests.
///
/// A container that restarts as a standby is in a pod that may still have the label. So a standby
/// counts as [settled][#isOff()] only after it has removed its label.
public final class LeaderLabel implements AutoCloseable {
  /// Time between two looks at the role of this process.
  private static final Duration LOOK = Duration.ofMillis(200);

  /// Time after which the leader checks the labels again, for example after a user changed them.
  static final Duration CHECKED_EVERY = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(LeaderLabel.class);

  private final ApiCalls leading;
  private final ApiCalls own;
  private final Leadership.Holder pod;
  private final LongSupplier nanos;
  private final LogThrottle throttle = new LogThrottle();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("muster-leader-label").daemon().factory());
  private Role settled = Role.UNKNOWN;
  private long checkAt;
  private volatile boolean off;

  /// The role of this process among all replicas.
  enum Role {
    LEADER,
    STANDBY,
    UNKNOWN;

    static Role of(Leadership leadership) {
      if (leadership.holds()) {
        return LEADER;
      }
      return leadership.standsBy() ? STANDBY : UNKNOWN;
    }
  }

  /// @param leading calls that may write only while this process leads. A process that was frozen
  ///   must not take the label from the next leader.
  /// @param own calls that may always write, for the label of its own pod
  /// @param pod namespace and name of the pod of this process
  /// @param nanos nanoseconds from any origin
  LeaderLabel(ApiCalls leading, ApiCalls own, Leadership.Holder pod, LongSupplier nanos) {
    this.leading = leading;
    this.own = own;
    this.pod = pod;
    this.nanos = nanos;
    this.checkAt = nanos.getAsLong();
  }

  /// Starts to follow the role of this process.
  public static LeaderLabel start(
      KubernetesClient client, Leadership.Holder pod, Leadership leadership) {
    LeaderLabel label =
        new LeaderLabel(
            new ApiCalls(client, leadership::writeTime),
            new ApiCalls(client),
            pod,
            System::nanoTime);
    var _ =
        label.timer.scheduleWithFixedDelay(
            () -> label.guardedLook(leadership), 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
    return label;
  }

  // A scheduled task that throws would silently never run again.
  private void guardedLook(Leadership leadership) {
    try {
      look(Role.of(leadership));
    } catch (RuntimeException | Error e) {
      log.error("Setting the label of the leader failed; it is retried.", e);
    }
  }

  /// True if the pod of this standby is known not to have the label.
  public boolean isOff() {
    return off;
  }

  /// Makes the labels agree with the role. A failed call is repeated at the next look. A leader
  /// whose pod does not exist tries again after [#CHECKED_EVERY]: it has no pod to be reached at.
  void look(Role role) {
    off &= role == Role.STANDBY;
    boolean due = role == Role.LEADER && nanos.getAsLong() - checkAt >= 0;
    if (role == Role.UNKNOWN || (role == settled && !due)) {
      return;
    }
    boolean good = role == Role.LEADER ? lead() : write(own, pod.name(), false);
    settled = good ? role : Role.UNKNOWN;
    off = good && role == Role.STANDBY;
    checkAt = nanos.getAsLong() + CHECKED_EVERY.toNanos();
  }

  /// Removes the label from the pods of earlier leaders, and adds it to this one.
  private boolean lead() {
    ApiCalls.Answer answer =
        leading.get(
            "/api/v1/namespaces/%s/pods?labelSelector=%s"
                .formatted(pod.namespace(), WellKnownNames.LEADING.replace("/", "%2F")));
    if (!answer.isGood()) {
      return complain(answer);
    }
    boolean good = true;
    boolean labelled = false;
    for (JsonNode other : answer.json().path("items")) {
      String name = other.at("/metadata/name").asText();
      if (name.equals(pod.name())) {
        labelled = true;
      } else {
        good &= write(leading, name, false);
      }
    }
    return (labelled || write(leading, pod.name(), true)) && good;
  }

  private boolean write(ApiCalls api, String name, boolean leads) {
    ObjectNode patch = JsonBodies.object();
    ObjectNode labels = patch.putObject("metadata").putObject("labels");
    if (leads) {
      labels.put(WellKnownNames.LEADING, "true");
    } else {
      labels.putNull(WellKnownNames.LEADING);
    }
    ApiCalls.Answer answer =
        api.patch(
            "/api/v1/namespaces/%s/pods/%s".formatted(pod.namespace(), name),
            ApiCalls.MERGE,
            patch);
    boolean isOwn = name.equals(pod.name());
    boolean good = answer.isGood() || (answer.isGone() && !isOwn) || complain(answer);
    return good || (answer.isGone() && leads);
  }

  private boolean complain(ApiCalls.Answer answer) {
    if (!Thread.currentThread().isInterrupted() && throttle.isNew(answer.problem())) {
      log.warn(
          "Cannot set the label {} of pod {}/{}, which the Service selects: {}.",
          WellKnownNames.LEADING,
          pod.namespace(),
          pod.name(),
          answer.problem());
    }
    return false;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}

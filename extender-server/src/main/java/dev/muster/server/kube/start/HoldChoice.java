package dev.muster.server.kube.start;

import dev.muster.core.gang.MemberId;
import dev.muster.policy.config.PodHold;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.logging.LogThrottle;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses what keeps the pods of gangs from kube-scheduler until they start.
///
/// Goals: a [start switch][StartSwitch] where it works. A pod never waits for one that cannot come.
///
/// Algorithm of `auto`: the switch is chosen while three things are known.
/// - The API server serves a version in which the switch was tested ([#TESTED]).
/// - It would accept a switch from Muster: a dry run succeeded.
/// - kube-scheduler respects switches: it has not asked about a pod whose switch is off. It asks at
///   once if its feature gates are off. Then the filter refuses the pod, and from then on new pods
///   get gates until Muster restarts.
///
/// A wrong choice costs time and no promise. The filter refuses pods that kube-scheduler does not
/// keep out. They start by a nomination.
public final class HoldChoice {
  /// Version whose kube-scheduler was tested.
  static final String TESTED = "scheduling.k8s.io/v1alpha2";

  private static final Logger log = LoggerFactory.getLogger(HoldChoice.class);

  private final LogThrottle throttle = new LogThrottle();
  private final PodHold configured;
  private final boolean oneScheduler;
  private final SwitchWriter switches;
  private final Supplier<NativeGroups> groups;
  private final Function<MemberId, Optional<String>> switchOf;
  private volatile Optional<String> accepted = Optional.empty();
  private volatile boolean ignored;
  private volatile Optional<PodHold> told = Optional.empty();

  /// @param oneScheduler true if all pods name one scheduler, as the pods of one PodGroup must
  /// @param switchOf name of the switch of a pod, if it has one
  public HoldChoice(
      PodHold configured,
      boolean oneScheduler,
      SwitchWriter switches,
      Supplier<NativeGroups> groups,
      Function<MemberId, Optional<String>> switchOf) {
    this.configured = configured;
    this.oneScheduler = oneScheduler;
    this.switches = switches;
    this.groups = groups;
    this.switchOf = switchOf;
  }

  /// Returns the choice in force, which is never `auto`.
  public PodHold inForce() {
    Optional<String> served = groups.get().served();
    return switch (configured) {
      case GATE, FILTER -> configured;
      case NATIVE -> oneScheduler && served.isPresent() ? PodHold.NATIVE : PodHold.GATE;
      case AUTO ->
          oneScheduler && served.isPresent() && served.equals(accepted) && !ignored
              ? PodHold.NATIVE
              : PodHold.GATE;
    };
  }

  /// Finds out if a switch could be written, and logs a changed choice. May block.
  public void check() {
    Optional<String> served = groups.get().served().filter(TESTED::equals);
    if (switches.wasRefused()) {
      accepted = Optional.empty();
    }
    if (configured == PodHold.AUTO && !ignored && !served.equals(accepted)) {
      Optional<ApiCalls.Answer> answer = served.map(switches::test);
      accepted = answer.filter(ApiCalls.Answer::isGood).isPresent() ? served : Optional.empty();
      answer
          .filter(given -> !given.isGood() && throttle.isNew(given.problem()))
          .ifPresent(given -> log.info("A start switch is not possible: {}", given.problem()));
    }
    Optional<PodHold> now = Optional.of(inForce());
    if (!now.equals(told)) {
      told = now;
      log.info("Pods of gangs are kept until they start by: {}.", now.get().word());
    }
  }

  /// Notes that kube-scheduler asked about this pod of a gang.
  public void asked(MemberId pod) {
    if (configured == PodHold.AUTO
        && !ignored
        && switchOf.apply(pod).filter(name -> !switches.wasOn(pod.namespace(), name)).isPresent()) {
      ignored = true;
      log.warn(
          "kube-scheduler asked about the pod {}, whose start switch is off. New pods get gates"
              + " until Muster restarts. Are its feature gates GenericWorkload and GangScheduling"
              + " on?",
          pod);
    }
  }
}

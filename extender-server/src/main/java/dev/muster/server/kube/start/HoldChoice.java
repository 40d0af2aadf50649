package dev.muster.server.kube.start;

import dev.muster.core.gang.MemberId;
import dev.muster.policy.config.PodHold;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.logging.LogThrottle;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses what keeps the pods of gangs from kube-scheduler until they start.
///
/// Goals: a [start switch][StartSwitch] where it works. A pod never waits for one that cannot come.
///
/// Constraints: a pod keeps its switch for life, so a wrong choice cannot be taken back. A quota or
/// a policy can forbid switches in one namespace alone.
///
/// Algorithm of `auto`: the switch is chosen while four things are known.
/// - The API server serves a version in which the switch was tested ([#TESTED]).
/// - It would accept a switch from Muster: a dry run succeeded, in `default` and in the namespace
///   of the pod. The first pod of a namespace gets a gate and causes the dry run. A refused switch
///   means gates in its namespace for an hour, and then until a dry run succeeds.
/// - The cluster is small. In a large one kube-scheduler is slow without nominations.
/// - kube-scheduler respects switches: it has not asked about [#IGNORED] new pods whose switch was
///   never on. It asks at once if its feature gates are off. The filter refuses such pods, and they
///   start by a nomination. New pods then get gates for [#DISTRUST], and for twice as long each
///   time.
public final class HoldChoice {
  /// Version whose kube-scheduler was tested.
  static final String TESTED = "scheduling.k8s.io/v1alpha2";

  /// Number of pods about which kube-scheduler must have asked.
  static final int IGNORED = 2;

  /// Time without switches after it asked.
  static final Duration DISTRUST = Duration.ofMinutes(10);

  private static final Duration LONGEST = Duration.ofDays(1);
  private static final String PROBED = "default";

  /// Number of namespaces that may wait for their dry run. Anybody may name one to the webhook, so
  /// only those that exist are kept.
  private static final int WAITING = 100;

  private static final Logger log = LoggerFactory.getLogger(HoldChoice.class);

  private final LogThrottle throttle = new LogThrottle();
  private final PodHold configured;
  private final SwitchWriter switches;
  private final Facts facts;
  private final Set<String> tested = ConcurrentHashMap.newKeySet();
  private final Set<String> untested = ConcurrentHashMap.newKeySet();
  private volatile Optional<String> accepted = Optional.empty();
  private volatile Optional<Instant> since = Optional.empty();
  private volatile Optional<PodHold> told = Optional.empty();

  private final Map<MemberId, Instant> asked = new HashMap<>();
  private volatile Instant distrustedUntil = Instant.EPOCH;
  private Duration distrust = DISTRUST;

  /// The facts on which the choice depends.
  ///
  /// @param oneScheduler true if all pods name one scheduler, as the pods of one PodGroup must
  /// @param isSmall true while kube-scheduler need not be nominated a node for speed
  /// @param groups the native PodGroups as seen now
  /// @param switchOf name of the switch of a pod, if it has one
  /// @param exists true if a namespace of this name is known to exist; must not block
  /// @param clock the time, for the age of questions
  public record Facts(
      boolean oneScheduler,
      BooleanSupplier isSmall,
      Supplier<NativeGroups> groups,
      Function<MemberId, Optional<String>> switchOf,
      Predicate<String> exists,
      InstantSource clock) {}

  public HoldChoice(PodHold configured, SwitchWriter switches, Facts facts) {
    this.configured = configured;
    this.switches = switches;
    this.facts = facts;
  }

  /// Returns the choice in force where nothing speaks against it, which is never `auto`.
  public PodHold inForce() {
    boolean possible = facts.oneScheduler() && facts.groups().get().served().isPresent();
    return switch (configured) {
      case GATE, FILTER -> configured;
      case NATIVE -> possible ? PodHold.NATIVE : PodHold.GATE;
      case AUTO ->
          possible
                  && facts.groups().get().served().equals(accepted)
                  && facts.isSmall().getAsBoolean()
                  && !isDistrusted()
              ? PodHold.NATIVE
              : PodHold.GATE;
    };
  }

  /// Returns the choice for new pods in this namespace, which is never `auto`. Does not block.
  ///
  /// @param namespace any text; one that names no known namespace has gates, and no dry run
  public PodHold inForce(String namespace) {
    PodHold chosen = inForce();
    if (chosen != PodHold.NATIVE) {
      return chosen;
    }
    if (switches.isRefusedIn(namespace)) {
      tested.remove(namespace);
      return PodHold.GATE;
    }
    if (configured == PodHold.NATIVE || tested.contains(namespace)) {
      return PodHold.NATIVE;
    }
    if (untested.size() < WAITING && facts.exists().test(namespace)) {
      untested.add(namespace);
    }
    return PodHold.GATE;
  }

  private boolean isDistrusted() {
    return facts.clock().instant().isBefore(distrustedUntil);
  }

  /// Finds out where a switch could be written, and logs a changed choice. May block. Called while
  /// this process leads and all objects were seen.
  public void check() {
    if (since.isEmpty()) {
      since = Optional.of(facts.clock().instant().truncatedTo(ChronoUnit.SECONDS));
    }
    Optional<String> served = facts.groups().get().served().filter(TESTED::equals);
    if (configured == PodHold.AUTO) {
      if (switches.wasRefused() || !served.equals(accepted)) {
        accepted = served.filter(version -> isAccepted(version, PROBED));
      }
      accepted.ifPresentOrElse(this::testNamespaces, tested::clear);
    }
    Optional<PodHold> now = Optional.of(inForce());
    if (!now.equals(told)) {
      told = now;
      log.info("Pods of gangs are kept until they start by: {}.", now.get().word());
    }
  }

  private void testNamespaces(String version) {
    tested.removeIf(namespace -> !namespace.equals(PROBED) && !facts.exists().test(namespace));
    for (String namespace : List.copyOf(untested)) {
      untested.remove(namespace); // the next pod there repeats a failed test
      isAccepted(version, namespace);
    }
  }

  private boolean isAccepted(String version, String namespace) {
    ApiCalls.Answer answer = switches.test(version, namespace);
    if (answer.isGood()) {
      tested.add(namespace);
    } else if (throttle.isNew(namespace + answer.problem())) {
      log.info("A start switch is not possible in {}: {}", namespace, answer.problem());
    }
    return answer.isGood();
  }

  /// Notes that kube-scheduler asked about this pod of a gang.
  ///
  /// An older pod says nothing: its switch may have been on before this process began.
  public void asked(MemberId pod, Instant createdAt) {
    if (configured == PodHold.AUTO
        && !isDistrusted()
        && since.filter(begin -> !createdAt.isBefore(begin)).isPresent()
        && facts
            .switchOf()
            .apply(pod)
            .filter(name -> !switches.wasOn(pod.namespace(), name))
            .isPresent()) {
      ignored(pod);
    }
  }

  private synchronized void ignored(MemberId pod) {
    Instant now = facts.clock().instant();
    asked.values().removeIf(at -> now.isAfter(at.plus(DISTRUST)));
    asked.put(pod, now);
    if (asked.size() >= IGNORED && !isDistrusted()) {
      asked.clear();
      distrustedUntil = now.plus(distrust);
      log.warn(
          "kube-scheduler asked about {} pods whose start switch is off, such as {}. New pods get"
              + " gates for {} min. Are its feature gates GenericWorkload and GangScheduling on?",
          IGNORED,
          pod,
          distrust.toMinutes());
      Duration twice = distrust.multipliedBy(2);
      distrust = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
    }
  }
}

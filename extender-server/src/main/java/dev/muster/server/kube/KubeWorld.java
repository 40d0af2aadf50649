package dev.muster.server.kube;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.State;
import dev.muster.policy.config.PodHold;
import dev.muster.server.kube.act.LeaderLabel;
import dev.muster.server.kube.act.Nomination;
import dev.muster.server.kube.act.RefusedRecords;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.Leadership;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.dra.PodClaim;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.start.HoldChoice;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.kube.watch.DeviceWatch;
import dev.muster.server.kube.watch.WatchHealth;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Connects the engine to the live cluster: changes go to the mailbox, effects to the API server.
/// Effects are performed only while this process [leads][Leadership].
public final class KubeWorld implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeWorld.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final InstantSource clock = new SteadyClock();
  private final Leadership leadership;
  private final Optional<LeaderLabel> label;
  private final KubeOutbox outbox;
  private final HoldChoice hold;
  private final ScheduledExecutorService checks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("muster-hold").daemon().factory());
  private final AtomicReference<Optional<KubeInbox>> inbox =
      new AtomicReference<>(Optional.empty());

  private KubeWorld(
      KubernetesClient client,
      Candidacy candidacy,
      Mailbox mailbox,
      KubeSettings settings,
      State start) {
    leadership = Leadership.start(client, candidacy.holder(), clock, candidacy.deposed());
    label =
        Optional.of(candidacy.holder())
            .filter(Leadership.Holder::isPod)
            .map(pod -> LeaderLabel.start(client, pod, leadership));
    ApiCalls api = new ApiCalls(client, leadership::writeTime);
    Known known = new Known();
    outbox =
        new KubeOutbox(new KubeOutbox.Ends(api, mailbox, known, this::nativeGroups, clock), start);
    hold =
        new HoldChoice(
            settings.hold(),
            outbox.switches(),
            new HoldChoice.Facts(
                settings.schedulerNames().size() == 1,
                () -> !Nomination.isCheaper(outbox.get().cluster()),
                this::nativeGroups,
                outbox::switchOf,
                namespace -> knownLabels(namespace).isPresent(),
                clock));
  }

  private NativeGroups nativeGroups() {
    return inbox.get().map(KubeInbox::nativeGroups).orElse(NativeGroups.NONE);
  }

  /// A candidate for the leadership.
  ///
  /// @param holder identity of the candidate
  /// @param deposed called once, when another process has taken the leadership
  public record Candidacy(Leadership.Holder holder, Runnable deposed) {}

  /// Starts watching the cluster; returns without waiting for it.
  public static KubeWorld start(
      KubernetesClient client,
      Candidacy candidacy,
      Mailbox mailbox,
      KubeSettings settings,
      State start) {
    KubeWorld world = new KubeWorld(client, candidacy, mailbox, settings, start);
    var ends =
        new KubeInbox.Ends(
            client,
            api -> serves(client, api),
            mailbox,
            world.leadership::holds,
            world.outbox::report,
            world.outbox::open,
            world.outbox::declare,
            pod -> world.outbox.get().cluster().promise(pod).isPresent(),
            world.clock);
    world.inbox.set(Optional.of(KubeInbox.start(ends, settings)));
    var _ = world.checks.scheduleWithFixedDelay(world::checkHold, 1, 10, TimeUnit.SECONDS);
    return world;
  }

  /// True if the cluster serves a version of PodGroups or devices, or a kind `group/version/Kind`.
  private static boolean serves(KubernetesClient client, String api) {
    int last = api.lastIndexOf('/');
    return api.indexOf('/') < last
        ? client.supports(api.substring(0, last), api.substring(last + 1))
        : client.supports(api, kind(api));
  }

  private static String kind(String apiVersion) {
    return apiVersion.equals(PodClaim.API_VERSION) ? DeviceWatch.KIND : PodGroupDialect.KIND;
  }

  /// Returns the receiver of effects, which also holds the newest state.
  public KubeOutbox outbox() {
    return outbox;
  }

  /// True if this process may act now.
  public boolean leads() {
    return leadership.holds();
  }

  /// True if this process could take over at once, and the Service sends no requests to it.
  public boolean standsBy() {
    return leadership.standsBy() && isWatching() && label.filter(LeaderLabel::isOff).isPresent();
  }

  /// True if all existing objects were read once and this process has led since.
  public boolean isSynced() {
    return inbox.get().map(KubeInbox::isSynced).orElse(false);
  }

  /// True if the cluster is watched now, also in a standby process. False until all objects were
  /// listed once, and during an outage of the API server.
  public boolean isWatching() {
    return inbox.get().stream().anyMatch(open -> open.isListed() && open.isWatching());
  }

  private void checkHold() {
    try {
      if (isSynced() && leads()) {
        hold.check();
      }
    } catch (RuntimeException e) { // a task that throws would never run again
      log.error("The choice of what keeps pods until they start failed; it is repeated.", e);
    }
  }

  /// Returns what keeps the pods of gangs from kube-scheduler until they start.
  public PodHold hold() {
    return hold.inForce();
  }

  /// Returns what keeps the pods of gangs in this namespace.
  public PodHold hold(String namespace) {
    return hold.inForce(namespace);
  }

  /// Records a question of kube-scheduler about a member.
  public void asked(State state, Member member) {
    hold.asked(member.id(), member.createdAt());
    outbox.questions().asked(state, member);
  }

  /// Returns the number of faults of watches so far.
  public long watchFaults(WatchHealth.Fault fault) {
    return inbox.get().map(open -> open.watchFaults(fault)).orElse(0L);
  }

  /// Returns the number of records of the kind that objects refused so far.
  public long refusedRecords(RefusedRecords.Kind kind) {
    return outbox.refusedRecords(kind);
  }

  /// Returns the labels of a namespace; empty if the namespace is unknown.
  public Map<String, String> namespaceLabels(String namespace) {
    return knownLabels(namespace).orElseGet(Map::of);
  }

  private Optional<Map<String, String>> knownLabels(String namespace) {
    return inbox.get().flatMap(open -> open.namespaceLabels(namespace));
  }

  /// True if a pod with these resource claims and templates may take GPUs.
  public boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return inbox.get().stream().anyMatch(open -> open.claimsGpus(namespace, claims, templates));
  }

  /// Returns the gang that the owner of the pod has; empty if it has none.
  public Optional<GangId> ownerGang(OwnedPod pod) {
    return inbox.get().flatMap(open -> open.ownerGang(pod));
  }

  /// Returns the uid of the PodGroup that declares the gang; empty if it is not known.
  public Optional<String> uid(GangId gang) {
    return inbox
        .get()
        .flatMap(open -> open.objects().find(gang))
        .map(object -> object.getMetadata().getUid());
  }

  /// Stops the watches, gives running calls a few seconds to finish, and releases the leadership.
  @Override
  public void close() {
    checks.shutdownNow();
    inbox.get().ifPresent(KubeInbox::close);
    label.ifPresent(LeaderLabel::close);
    outbox.close();
    try {
      boolean ended = outbox.await(LAST_WORDS);
      if (!ended) {
        log.warn(
            "Some effects were still in progress at shutdown; the next start requests them again.");
      }
      leadership.close(ended);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Objects known to the inbox, for the outbox, which is created first.
  private final class Known implements GangObjects {
    @Override
    public Optional<GenericKubernetesResource> find(GangId gang) {
      return inbox.get().flatMap(open -> open.objects().find(gang));
    }

    @Override
    public boolean claimsGpus(MemberId pod) {
      return inbox.get().stream().anyMatch(open -> open.objects().claimsGpus(pod));
    }

    @Override
    public Optional<Pod> pod(MemberId pod) {
      return inbox.get().flatMap(open -> open.objects().pod(pod));
    }

    @Override
    public Optional<PodCondition> admitted(MemberId pod) {
      return inbox.get().flatMap(open -> open.objects().admitted(pod));
    }
  }
}

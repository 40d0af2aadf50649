package dev.muster.server.kube;

import dev.muster.core.engine.State;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The live cluster, both ways: what happens there comes into the mailbox, effects go out to it, if
/// this process [leads][Leadership].
public final class KubeWorld implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeWorld.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final InstantSource clock = new SteadyClock();
  private final Leadership leadership;
  private final KubeOutbox outbox;
  private final AtomicReference<Optional<KubeInbox>> inbox =
      new AtomicReference<>(Optional.empty());

  private KubeWorld(KubernetesClient client, Candidacy candidacy, Mailbox mailbox, State start) {
    leadership = Leadership.start(client, candidacy.holder(), clock, candidacy.deposed());
    Api api = new Api(client, leadership::holds);
    outbox = new KubeOutbox(new KubeOutbox.Ends(api, mailbox, new Known(), clock), start);
  }

  /// Who wants to lead.
  ///
  /// @param deposed told once, when another leads that was taken for gone
  public record Candidacy(Leadership.Holder holder, Runnable deposed) {}

  /// Starts to follow the cluster; does not wait for it.
  public static KubeWorld start(
      KubernetesClient client,
      Candidacy candidacy,
      Mailbox mailbox,
      KubeSettings settings,
      State start) {
    KubeWorld world = new KubeWorld(client, candidacy, mailbox, start);
    var ends =
        new KubeInbox.Ends(
            client,
            version -> client.supports(version, kind(version)),
            mailbox,
            world.leadership::holds,
            world.outbox::report,
            world.outbox::open,
            world.clock);
    world.inbox.set(Optional.of(KubeInbox.start(ends, settings)));
    return world;
  }

  private static String kind(String apiVersion) {
    return apiVersion.equals(DeviceWatch.API_VERSION) ? DeviceWatch.KIND : Dialect.KIND;
  }

  /// Where effects go; it also holds the newest state.
  public KubeOutbox outbox() {
    return outbox;
  }

  /// Whether this process may act right now.
  public boolean leads() {
    return leadership.holds();
  }

  /// Whether everything that exists was seen once, and this process has led since.
  public boolean isSynced() {
    return inbox.get().map(KubeInbox::isSynced).orElse(false);
  }

  /// Whether the cluster is being followed right now, by one who stands by too; false until all of
  /// it was listed once, and during an outage of the API server.
  public boolean isWatching() {
    return inbox.get().stream().anyMatch(open -> open.isListed() && open.isWatching());
  }

  /// The labels of a namespace; none when it is not known.
  public Map<String, String> namespaceLabels(String namespace) {
    return inbox.get().map(open -> open.namespaceLabels(namespace)).orElseGet(Map::of);
  }

  /// Whether a pod that names these resource claims and templates asks for GPUs that can be
  /// counted, as far as that is known.
  public boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return inbox.get().stream().anyMatch(open -> open.claimsGpus(namespace, claims, templates));
  }

  /// Stops following, gives what is under way a few seconds to end, and lets another lead.
  @Override
  public void close() {
    inbox.get().ifPresent(KubeInbox::close);
    outbox.close();
    try {
      boolean ended = outbox.await(LAST_WORDS);
      if (!ended) {
        log.warn(
            "Some effects were still under way at the end; the next start asks for them again.");
      }
      leadership.close(ended);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// What the inbox knows; it is opened after the outbox.
  private final class Known implements GangObjects {
    @Override
    public Optional<GenericKubernetesResource> find(GangId gang) {
      return inbox.get().flatMap(open -> open.find(gang));
    }

    @Override
    public boolean claimsGpus(MemberId pod) {
      return inbox.get().stream().anyMatch(open -> open.claimsGpus(pod));
    }

    @Override
    public Optional<PodCondition> admitted(MemberId pod) {
      return inbox.get().flatMap(open -> open.admitted(pod));
    }
  }
}

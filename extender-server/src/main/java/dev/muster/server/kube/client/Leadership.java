package dev.muster.server.kube.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Elects the process that acts among several Musters: the holder of the Lease.
///
/// Two active processes would promise a GPU twice. Two processes can exist without an error of the
/// admin: after a kubelet dies, its pods are created again on other nodes while its containers run
/// on.
///
/// - The holder renews the Lease every [#RENEWED_EVERY].
/// - After [#TRUSTED] without a renewal it stops writing. It continues if no other process has
///   taken the Lease meanwhile, so an outage of the API server deposes no leader.
/// - A Lease that has not changed for its whole duration may be taken. Each candidate measures this
///   time itself, so clocks of two machines are never compared.
/// - A holder that finds its Lease taken is deposed permanently.
///
/// kube-scheduler elects its leader in this way too, but gives up at once when it cannot renew.
public final class Leadership {
  /// Duration of a Lease that is not renewed.
  static final Duration LASTS = Duration.ofSeconds(15);

  /// Time after the last renewal in which the holder still acts. Requests sent by then have the
  /// rest of [#LASTS] to arrive.
  static final Duration TRUSTED = Duration.ofSeconds(10);

  static final Duration RENEWED_EVERY = Duration.ofSeconds(5);

  static final Duration LOOK = Duration.ofSeconds(1);

  /// Time limit of a call. Three failed attempts fit between a renewal and the end of the Lease.
  static final Duration PATIENCE = Duration.ofMillis(2500);

  private static final String NAME = "muster";
  private static final Logger log = LoggerFactory.getLogger(Leadership.class);

  private final KubernetesClient own;
  private final ApiCalls api;
  private final Holder who;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Runnable deposed;
  private final LogThrottle throttle = new LogThrottle();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("muster-lease").daemon().factory());
  private volatile Instant trustedUntil = Instant.MIN;
  private volatile long idleUntil;
  private Instant renewAt = Instant.MIN;
  private volatile boolean standsBy;
  private boolean led;
  private boolean over;
  private Optional<Seen> seen = Optional.empty();

  /// A candidate for the leadership, and the namespace of its Lease.
  ///
  /// @param namespace namespace of the Lease
  /// @param name unique name; two processes with one name would both count as the holder
  /// @param isPod true if this is the name of the pod of the process, in this namespace
  public record Holder(String namespace, String name, boolean isPod) {}

  /// The Lease of another process.
  ///
  /// @param version resourceVersion of the Lease
  /// @param since time at which the version was first seen, in nanoseconds
  private record Seen(String holder, String version, long since) {}

  /// @param client source of the address and the credentials; the connection is a separate one
  /// @param clock limits the time of leading: never goes back, and continues while the machine
  ///   sleeps
  /// @param nanos measures how long another Lease has not changed: counts nanoseconds from any
  ///   origin, and never jumps ahead
  /// @param deposed called once, when another process has taken the Lease of this one
  Leadership(
      KubernetesClient client,
      Holder who,
      InstantSource clock,
      LongSupplier nanos,
      Runnable deposed) {
    own = Kubeconfig.separate(client);
    api = new ApiCalls(own, PATIENCE, () -> PATIENCE);
    this.who = who;
    this.clock = clock;
    this.nanos = nanos;
    this.deposed = deposed;
    this.idleUntil = nanos.getAsLong();
  }

  /// Starts as a candidate.
  public static Leadership start(
      KubernetesClient client, Holder who, InstantSource clock, Runnable deposed) {
    Leadership leadership = new Leadership(client, who, clock, System::nanoTime, deposed);
    var _ =
        leadership.timer.scheduleWithFixedDelay(
            leadership::guardedLook, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
    return leadership;
  }

  // A scheduled task that throws would silently never run again.
  private void guardedLook() {
    try {
      look();
    } catch (RuntimeException | Error e) {
      log.error("Checking the Lease failed; it is retried.", e);
    }
  }

  /// True if this process may act now.
  public boolean holds() {
    return nanos.getAsLong() - idleUntil >= 0 && clock.instant().isBefore(trustedUntil);
  }

  /// True if another process leads, as far as this one knows. Neither this nor [#holds()] is true
  /// before the Lease was first read, and while a leader cannot renew its Lease.
  public boolean standsBy() {
    return standsBy;
  }

  /// Returns the time in which a request that is sent now must end: the rest of the Lease. Zero if
  /// this process may not act.
  public Duration writeTime() {
    return holds()
        ? Duration.between(clock.instant(), trustedUntil).plus(LASTS.minus(TRUSTED))
        : Duration.ZERO;
  }

  /// Reads the Lease when it is due, and takes or renews it if allowed. Called every second.
  synchronized void look() {
    Instant now = clock.instant();
    if (over || now.isBefore(renewAt)) {
      return;
    }
    long asked = nanos.getAsLong();
    ApiCalls.Answer answer = api.get(path() + "/" + NAME);
    if (answer.isGood() && !version(answer.json()).isEmpty()) {
      judge(answer.json(), now, asked);
    } else if (answer.isGood()) { // otherwise the Lease of another process would be taken
      complain(new ApiCalls.Answer(0, "the answer is no Lease"));
    } else if (answer.isGone()) {
      make(now);
    } else {
      complain(answer);
    }
  }

  /// Creates the Lease. If there was one before, it was deleted, and its holder still acts for a
  /// while. Until that time has passed, the new Lease is held, but nothing is done.
  private void make(Instant now) {
    boolean wasThere = led || seen.isPresent();
    if (wasThere && !holds()) {
      idleUntil = nanos.getAsLong() + LASTS.toNanos();
    }
    taken(api.post(path(), create(now)), now);
  }

  private void judge(JsonNode lease, Instant now, long asked) {
    String holder = lease.at("/spec/holderIdentity").asText();
    if (holder.isEmpty() || holder.equals(who.name())) {
      take(lease, now);
    } else if (led) {
      depose(holder);
    } else {
      standBy(lease, holder, now, asked);
    }
  }

  private void standBy(JsonNode lease, String holder, Instant now, long asked) {
    if (seen.isEmpty() || !seen.get().holder().equals(holder)) {
      log.info("Standby: {} is the leader.", holder);
    }
    String version = version(lease);
    Seen last =
        seen.filter(before -> before.version().equals(version))
            .orElseGet(() -> new Seen(holder, version, nanos.getAsLong()));
    seen = Optional.of(last);
    standsBy = true;
    long lasts = lease.at("/spec/leaseDurationSeconds").asLong(LASTS.toSeconds());
    if (asked - last.since() >= TimeUnit.SECONDS.toNanos(lasts)) {
      log.info("The Lease of {} has expired; this Muster takes it.", holder);
      take(lease, now);
    }
  }

  private void take(JsonNode lease, Instant now) {
    boolean renewed = lease.at("/spec/holderIdentity").asText().equals(who.name());
    ObjectNode patch = versioned(lease);
    ObjectNode spec = spec(patch, who.name(), now);
    if (!renewed) {
      spec.put("acquireTime", JsonBodies.microTime(now))
          .put("leaseTransitions", lease.at("/spec/leaseTransitions").asInt() + 1);
    }
    taken(api.patch(path() + "/" + NAME, ApiCalls.MERGE, patch), now);
  }

  /// @param asked time of the request; the Lease counts from then, since the answer comes later
  private void taken(ApiCalls.Answer answer, Instant asked) {
    if (answer.isGood()) {
      if (!led) {
        log.info("This Muster, {}, is the leader.", who.name());
      }
      led = true;
      standsBy = false;
      trustedUntil = asked.plus(TRUSTED);
      renewAt = asked.plus(RENEWED_EVERY);
    } else if (answer.code() != 409) { // another process was faster; the next read shows the holder
      complain(answer);
    }
  }

  private void depose(String holder) {
    over = true;
    trustedUntil = Instant.MIN;
    log.error(
        "{} is the leader now: this Muster, {}, did not renew its Lease in time and exits.",
        holder,
        who.name());
    deposed.run();
  }

  private void complain(ApiCalls.Answer answer) {
    if (!Thread.currentThread().isInterrupted() && throttle.isNew(answer.problem())) {
      log.warn(
          "Cannot read or write the Lease {}/{}, which is required for decisions: {}.{}",
          who.namespace(),
          NAME,
          answer.problem(),
          remedy(answer));
    }
  }

  private static String remedy(ApiCalls.Answer answer) {
    if (answer.isPassing()) {
      return "";
    }
    return answer.code() == HttpURLConnection.HTTP_UNAUTHORIZED
        ? " The token or certificate may be invalid or expired."
        : " The namespace or the Role may be missing; deploy/manifests has both.";
  }

  private static String version(JsonNode lease) {
    return lease.at("/metadata/resourceVersion").asText();
  }

  private String path() {
    return "/apis/coordination.k8s.io/v1/namespaces/%s/leases".formatted(who.namespace());
  }

  private ObjectNode create(Instant now) {
    ObjectNode lease = JsonBodies.object();
    lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease.putObject("metadata").put("name", NAME);
    spec(lease, who.name(), now)
        .put("acquireTime", JsonBodies.microTime(now))
        .put("leaseTransitions", 0);
    return lease;
  }

  /// Returns a patch that fails if the Lease was changed meanwhile.
  private static ObjectNode versioned(JsonNode lease) {
    ObjectNode patch = JsonBodies.object();
    patch.putObject("metadata").set("resourceVersion", lease.at("/metadata/resourceVersion"));
    return patch;
  }

  private static ObjectNode spec(ObjectNode lease, String holder, Instant now) {
    return lease
        .putObject("spec")
        .put("holderIdentity", holder)
        .put("leaseDurationSeconds", LASTS.toSeconds())
        .put("renewTime", JsonBodies.microTime(now));
  }

  /// Stops leading.
  ///
  /// @param atOnce true if another process may lead immediately, since all requested work is done;
  ///   otherwise it must wait until the Lease expires
  public void close(boolean atOnce) {
    timer.shutdownNow();
    release(atOnce);
    own.close();
  }

  private synchronized void release(boolean atOnce) {
    boolean held = holds();
    over = true;
    trustedUntil = Instant.MIN;
    if (held && atOnce) {
      ApiCalls.Answer lease = api.get(path() + "/" + NAME);
      if (lease.isGood() && lease.json().at("/spec/holderIdentity").asText().equals(who.name())) {
        ObjectNode patch = versioned(lease.json());
        spec(patch, "", clock.instant());
        var _ = api.patch(path() + "/" + NAME, ApiCalls.MERGE, patch);
      }
    }
  }
}

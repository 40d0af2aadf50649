package dev.muster.server.http;

import dev.muster.core.state.Policies;
import dev.muster.server.http.access.PageAccess;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Measures a steady `/filter` caller while 1,000 hostile connections do their worst, one kind of
/// attack after another.
///
/// The steady caller keeps its connection, as kube-scheduler does. Each twentieth call is made on a
/// new connection. The table has the calls, the failed calls, p50 and p99, and the p99 as a ratio
/// to the calm one. The last columns have the slowest of the probes, of the calls of 100 kB of a
/// stranger and of the pages of 2 MB that were asked for meanwhile, all on new connections.
///
/// ```
/// ./mvnw -pl extender-server -am verify -Dtest=HostileCallersBench -Dsurefire.failIfNoSpecifiedTests=false
/// ```
///
/// `-Dbench.seconds=30` attacks longer, and `-Dbench.only=UNKNOWN|LEFT` makes those attacks only.
/// With `-Dbench.tls=true` all calls but those for pages use the port with TLS. With
/// `-Dbench.certificates=true` they do so, too, only the steady caller has a certificate, and no
/// page is shown. `-Dbench.from=127.0.0.1` attacks from the address of the other callers. Not part
/// of the build: its name is no test's name.
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HostileCallersBench {
  private static final int CONNECTIONS = Integer.getInteger("bench.connections", 1_000);

  /// Attacks to measure: those with a match of this pattern in their names.
  private static final Pattern ONLY = Pattern.compile(System.getProperty("bench.only", ""));

  /// The address of the attackers. In a cluster, kube-scheduler and a pod have different ones.
  private static final String FROM = System.getProperty("bench.from", "127.0.0.2");

  /// True to demand a certificate of each caller.
  private static final boolean CERTIFICATES = Boolean.getBoolean("bench.certificates");

  /// True to use the port with TLS for all calls.
  private static final boolean TLS = CERTIFICATES || Boolean.getBoolean("bench.tls");

  /// The longest time that an attack can last.
  static final Duration LIMIT = Duration.ofMinutes(10);

  private static final Duration SETTLE = Duration.ofSeconds(2);
  private static final Duration MEASURE =
      Duration.ofSeconds(Integer.getInteger("bench.seconds", 6));
  private static final long PAUSE_MILLIS = 5;
  private static final int NEW_CONNECTION = 20; // each so many calls
  static final int MIB = 1 << 20;
  private static final int NODES = 10_000;
  private static final byte[] PROBE =
      "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LARGE =
      HostileRequests.post(
          "/scheduler/filter",
          HttpFrontScene.args("w0", String.join(",", Collections.nCopies(12_000, "\"gpu-1\""))));

  @TempDir private Path directory = Path.of("");

  private final ServerImages image =
      many().train(1).waiting("w0").waiting("w1").promised("w0", "gpu-2");
  private final ServerMetrics metrics = new ServerMetrics(image::state);

  @Test
  void run() throws Exception {
    System.out.printf(
        "%n%-34s %6s %6s %9s %9s %8s %10s %10s %10s %9s%n",
        "attack",
        "calls",
        "failed",
        "p50 us",
        "p99 us",
        "x calm",
        "probe us",
        "large us",
        "page us",
        "direct MB");
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            image::state, () -> Policies.DEFAULT, ServerImages.SCOPE, webhook, metrics, () -> true);
    if (CERTIFICATES) {
      dependencies =
          dependencies.reviewing((_, answer) -> answer.accept(new PageAccess.Denied(401, "no")));
    }
    TestKeys keys = new TestKeys(directory);
    ListenOptions.Tls tls = credentials(keys);
    HostileConnections.tls = TLS ? keys.context("signer", "scheduler") : null;
    try (HttpFront front =
        HttpFront.start(
            dependencies,
            new ListenOptions("127.0.0.1", 0, 16 << 20, Optional.of(tls), OptionalInt.of(0)))) {
      measure(front, HostileConnections.Kind.NONE, 0);
      long calm = 0;
      for (HostileConnections.Kind kind : HostileConnections.Kind.values()) {
        if (kind == HostileConnections.Kind.NONE || ONLY.matcher(kind.name()).find()) {
          long p99 = measure(front, kind, calm);
          calm = calm == 0 ? p99 : calm;
        }
      }
    }
    metrics.close();
  }

  /// A cluster whose page of nodes is long.
  private static ServerImages many() {
    ServerImages image = ServerImages.cluster();
    for (int i = 0; i < NODES; i++) {
      image = image.node("cpu-%05d".formatted(i), 0);
    }
    return image;
  }

  private ListenOptions.Tls credentials(TestKeys keys) throws Exception {
    keys.authority("signer");
    keys.server("server", "signer");
    keys.caller("scheduler", "signer");
    Path signer = keys.writeCertificate("signer", directory.resolve("ca.crt"));
    return new ListenOptions.Tls(
        keys.writeCertificate("server", directory.resolve("tls.crt")),
        keys.writeKey("server", directory.resolve("tls.key")),
        0,
        Optional.of(signer).filter(_ -> CERTIFICATES));
  }

  private long measure(HttpFront front, HostileConnections.Kind kind, long calm) throws Exception {
    Process attackers = attackers(front, kind);
    HostileConnections.pause(SETTLE.toMillis());
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong probe = new AtomicLong();
    AtomicLong large = new AtomicLong();
    AtomicLong page = new AtomicLong();
    AtomicLong direct = new AtomicLong();
    List<Thread> others =
        Stream.<Runnable>of(
                () -> probe(PROBE, probe, stop, () -> HostileConnections.plain(probePort(front))),
                () -> probe(LARGE, large, stop, () -> HostileConnections.open(port(front))),
                () -> read(front, page, stop),
                () -> weigh(direct, stop))
            .map(Thread.ofPlatform()::start)
            .toList();
    List<Long> took = new ArrayList<>();
    int failed = steady(front, took);
    stop.set(true);
    attackers.destroyForcibly().waitFor();
    for (Thread other : others) {
      other.join();
    }
    took.sort(null);
    long p99 = took.get(took.size() * 99 / 100);
    System.out.printf(
        Locale.ROOT,
        "%-34s %6d %6d %9d %9d %8.1f %10s %10s %10s %9d%n",
        kind.title,
        took.size(),
        failed,
        took.get(took.size() / 2),
        p99,
        calm == 0 ? 1 : (double) p99 / calm,
        text(probe),
        text(large),
        CERTIFICATES ? "-" : text(page),
        direct.get() / MIB);
    return p99;
  }

  private Process attackers(HttpFront front, HostileConnections.Kind kind) throws IOException {
    return new ProcessBuilder(
            "nice",
            "-n",
            "19",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            HostileConnections.class.getName(),
            kind.name(),
            Integer.toString(kind.tls ? front.tlsPort().orElseThrow() : port(front)),
            Integer.toString(CONNECTIONS),
            FROM,
            directory.toString(),
            Boolean.toString(TLS))
        .inheritIO()
        .start();
  }

  /// Calls until the time is over, and returns how many calls failed.
  private static int steady(HttpFront front, List<Long> took) throws Exception {
    byte[] call =
        HostileRequests.post(
            "/scheduler/filter", HttpFrontScene.args("w0", "\"gpu-1\",\"gpu-2\",\"gpu-3\""));
    int failed = 0;
    Socket kept = HostileConnections.open(port(front));
    long end = System.nanoTime() + MEASURE.toNanos();
    for (int i = 1; System.nanoTime() < end; i++) {
      long start = System.nanoTime();
      try {
        if (i % NEW_CONNECTION == 0) {
          kept.close();
          kept = HostileConnections.open(port(front));
        }
        if (!HostileConnections.ask(kept, call).startsWith("HTTP/1.1 200")) {
          failed++;
        }
      } catch (IOException _) {
        failed++;
        kept.close();
        kept = HostileConnections.open(port(front));
      }
      took.add((System.nanoTime() - start) / 1_000);
      Thread.sleep(PAUSE_MILLIS);
    }
    kept.close();
    return failed;
  }

  private static String text(AtomicLong slowest) {
    return slowest.get() == Long.MAX_VALUE ? "failed" : Long.toString(slowest.get());
  }

  /// Makes the call on one new connection after the other.
  private static void probe(
      byte[] call, AtomicLong slowest, AtomicBoolean stop, Callable<Socket> connection) {
    while (!stop.get()) {
      long start = System.nanoTime();
      try (Socket socket = connection.call()) {
        if (!HostileConnections.ask(socket, call).startsWith("HTTP/1.1 200")) {
          slowest.set(Long.MAX_VALUE);
        }
      } catch (Exception _) {
        slowest.set(Long.MAX_VALUE);
      }
      slowest.accumulateAndGet((System.nanoTime() - start) / 1_000, Math::max);
      HostileConnections.pause(100);
    }
  }

  /// Reads one page after the other, each on a new connection.
  private static void read(HttpFront front, AtomicLong slowest, AtomicBoolean stop) {
    while (!stop.get()) {
      long start = System.nanoTime();
      try {
        URLConnection page =
            URI.create("http://127.0.0.1:%d/api/v1/nodes".formatted(front.port()))
                .toURL()
                .openConnection();
        page.setRequestProperty("Connection", "close");
        page.setReadTimeout(10_000);
        try (InputStream body = page.getInputStream()) {
          body.readAllBytes(); // fails if the page is cut
        }
      } catch (IOException _) {
        slowest.set(Long.MAX_VALUE);
      }
      slowest.accumulateAndGet((System.nanoTime() - start) / 1_000, Math::max);
      HostileConnections.pause(300);
    }
  }

  /// Finds the most memory outside the heap.
  private static void weigh(AtomicLong most, AtomicBoolean stop) {
    while (!stop.get()) {
      most.accumulateAndGet(PlatformDependent.usedDirectMemory(), Math::max);
      HostileConnections.pause(10);
    }
  }

  private static int port(HttpFront front) {
    return TLS ? front.tlsPort().orElseThrow() : front.port();
  }

  private static int probePort(HttpFront front) {
    return front.probePort().orElseThrow();
  }
}

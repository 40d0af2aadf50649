package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// A real control plane with a Muster process, shared by all tests of a class. Muster has the files
/// of `deploy/` and the permissions of its ServiceAccount. Every test begins and ends without nodes
/// and pods.
public final class TestStage implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);

  private final Gating gating;
  private final String configuration;
  private final String memory;
  private final Connection connection;
  private final BiFunction<TestSetup, Installation, TestSetup> changes;
  private @Nullable Set set;

  private record Set(
      Class<?> owner,
      ControlPlane plane,
      KubernetesClient admin,
      Installation files,
      ChildProcess muster,
      Relay relay,
      Thread atExit) {}

  /// The component that puts the gate on pods.
  enum Gating {
    NOBODY,
    WEBHOOK,
    /// The admission policy, and the webhook where that left something to do.
    POLICY
  }

  /// The way from Muster to the API server.
  private enum Connection {
    DIRECT,
    RELAY,
    /// Without TLS as far as the relay, which drops the header `Upgrade`.
    PLAIN_RELAY
  }

  private TestStage(
      Gating gating,
      String configuration,
      String memory,
      Connection connection,
      BiFunction<TestSetup, Installation, TestSetup> changes) {
    this.gating = gating;
    this.configuration = configuration;
    this.memory = memory;
    this.connection = connection;
    this.changes = changes;
  }

  /// Everything as shipped.
  public static TestStage asShipped() {
    return new TestStage(Gating.WEBHOOK, "", "512m", Connection.DIRECT, (setup, _) -> setup);
  }

  /// No webhook: pods come without a gate, and the extender's filter is all there is.
  public TestStage withoutWebhook() {
    return new TestStage(Gating.NOBODY, configuration, memory, connection, changes);
  }

  /// With the admission policy for Kubernetes 1.36 and newer, which spares most calls of the
  /// webhook.
  public TestStage withPolicy() {
    return new TestStage(Gating.POLICY, configuration, memory, connection, changes);
  }

  /// Replaces top-level fields of Muster's configuration, given as YAML.
  public TestStage with(String replaced) {
    return new TestStage(gating, replaced, memory, connection, changes);
  }

  /// Gives Muster so much heap, as `2g`.
  public TestStage withMemory(String heap) {
    return new TestStage(gating, configuration, heap, connection, changes);
  }

  /// Muster reaches the API server through a [Relay], which tests can cut.
  public TestStage withRelay() {
    return new TestStage(gating, configuration, memory, Connection.RELAY, changes);
  }

  /// Muster reaches the API server through a [Relay] that reads its requests and drops the header
  /// `Upgrade`.
  TestStage withoutUpgrade() {
    return new TestStage(gating, configuration, memory, Connection.PLAIN_RELAY, changes);
  }

  /// Another control plane, for example with a feature gate.
  public TestStage on(UnaryOperator<TestSetup> other) {
    return new TestStage(
        gating, configuration, memory, connection, (setup, _) -> other.apply(setup));
  }

  /// Another control plane, which needs files of Muster's installation.
  TestStage on(BiFunction<TestSetup, Installation, TestSetup> other) {
    return new TestStage(gating, configuration, memory, connection, other);
  }

  /// Adds an old kube-scheduler without scheduling gates. It calls Muster by the shipped Policy
  /// file, and there is no webhook.
  public TestStage withLegacyScheduler() {
    return new TestStage(
        Gating.NOBODY,
        configuration,
        memory,
        connection,
        (setup, files) -> setup.withLegacyPolicy(files.legacyPolicy()));
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    if (set != null) {
      return; // A class nested in another shares its stage.
    }
    var files =
        new Installation(
            Files.createTempDirectory("muster-stage-"), FreePorts.next(), FreePorts.next());
    files.makeCertificates();
    var setup =
        TestSetup.of(context.getRequiredTestClass())
            .withScheduler(files.schedulerConfiguration())
            .withFlag(ControlPlaneComponent.API_SERVER, files.admissionFlag());
    ControlPlane plane = ControlPlane.start(changes.apply(setup.withControllers(), files));
    KubernetesClient admin = plane.admin();
    files.apply(admin, gating);
    Path kubeconfig = plane.kubeconfig(plane.serviceAccountToken("muster-system", "muster"));
    int port = URI.create(plane.apiServer()).getPort();
    boolean plain = connection == Connection.PLAIN_RELAY;
    Relay relay = plain ? Relay.withoutUpgrade(port, plane.authority()) : Relay.to(port);
    if (connection != Connection.DIRECT) {
      String address = (plain ? "http" : "https") + "://127.0.0.1:" + relay.port();
      Files.writeString(
          kubeconfig, Files.readString(kubeconfig).replace(plane.apiServer(), address));
    }
    ChildProcess muster =
        files.muster(
            "muster-0",
            kubeconfig,
            files.writeConfiguration(configuration),
            plane.logs().resolve("muster.log"),
            "-Xmx" + memory);
    var atExit = new Thread(muster::kill, "muster-at-exit");
    Runtime.getRuntime().addShutdownHook(atExit);
    set = new Set(context.getRequiredTestClass(), plane, admin, files, muster, relay, atExit);
    startMuster();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    new ParameterGrid(admin()).all();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Set all = set;
    if (all == null || all.owner() != context.getRequiredTestClass()) {
      return;
    }
    set = null;
    all.muster().kill();
    Runtime.getRuntime().removeShutdownHook(all.atExit());
    all.relay().close();
    all.plane().close();
    all.files().delete();
  }

  private Set set() {
    return Objects.requireNonNull(set, "The stage is not set yet: only tests may ask.");
  }

  public ControlPlane plane() {
    return set().plane();
  }

  /// Returns the relay between Muster and the API server.
  Relay relay() {
    return set().relay();
  }

  public KubernetesClient admin() {
    return set().admin();
  }

  public TestCluster cluster() {
    return new TestCluster(admin());
  }

  public TestGangs gangs() {
    return new TestGangs(admin());
  }

  /// Returns the address of Muster: `http://127.0.0.1:port`.
  public URI muster() {
    return URI.create("http://127.0.0.1:" + set().files().http());
  }

  /// Returns the address at which kube-scheduler calls Muster: `https://127.0.0.1:port`.
  public URI secure() {
    return URI.create("https://127.0.0.1:" + set().files().https());
  }

  /// The files of this stage.
  Installation files() {
    return set().files();
  }

  /// The shipped configuration of kube-scheduler, which asks this stage's Muster.
  public String schedulerConfiguration() {
    return set().files().schedulerConfiguration();
  }

  /// Kills Muster as `kill -9` does.
  public void killMuster() {
    set().muster().kill();
  }

  /// The process of Muster.
  ChildProcess process() {
    return set().muster();
  }

  /// Starts another Muster beside the first, as a second replica is; kube-scheduler asks the first.
  ///
  /// @param name of the pod that it would be; the first is `muster-0`
  Replica startReplica(String name) throws IOException {
    var files =
        new Installation(
            Files.createTempDirectory("muster-replica-"), FreePorts.next(), FreePorts.next());
    files.shareCertificates(set().files());
    ChildProcess process =
        files.muster(
            name,
            plane().kubeconfig(plane().serviceAccountToken("muster-system", "muster")),
            files.writeConfiguration(configuration),
            plane().logs().resolve(name + ".log"),
            "-Xmx" + memory);
    process.start();
    return new Replica(process, files);
  }

  /// Starts Muster, and returns when it is ready.
  public void startMuster() {
    startMuster(START_LIMIT);
  }

  /// Starts Muster, and returns when it is ready; in a large cluster that takes longer.
  void startMuster(Duration limit) {
    ChildProcess muster = set().muster();
    muster.start();
    try {
      await("Muster ready")
          .atMost(limit)
          .pollDelay(Duration.ZERO)
          .pollInterval(POLL)
          .failFast(() -> !muster.isAlive())
          .until(this::isReady);
    } catch (RuntimeException e) {
      throw new IllegalStateException("Muster is not ready:\n" + muster.tail(), e);
    }
  }

  /// Returns Muster's answer to a GET of a path such as `/metrics`, with the token of an admin.
  String page(String path) {
    HttpResponse<String> answer = page(path, ControlPlane.ADMIN_TOKEN);
    if (answer.statusCode() == 401 || answer.statusCode() == 503) {
      throw new IllegalStateException(path + " is refused: " + answer.body());
    }
    return answer.body();
  }

  /// Returns Muster's answer to a GET with a token.
  HttpResponse<String> page(String path, String token) {
    var request =
        HttpRequest.newBuilder(secure().resolve(path))
            .header("Authorization", "Bearer " + token)
            .build();
    try (var http = files().stranger()) {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a page was read", e);
    }
  }

  public boolean isReady() {
    return isReady(muster());
  }

  static boolean isReady(URI muster) {
    return answers(muster, "/readyz");
  }

  static boolean answers(URI muster, String path) {
    var request =
        HttpRequest.newBuilder(muster.resolve(path)).timeout(Duration.ofSeconds(2)).build();
    try (var http = HttpClient.newHttpClient()) {
      return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // Nobody listens yet.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}

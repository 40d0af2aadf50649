package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

/// A real control plane on loopback. It has etcd, kube-apiserver, kube-scheduler, simulated
/// kubelets and optionally the kube-controller-manager, one process each. Every process ends at
/// [#close], and with this JVM.
public final class ControlPlane implements AutoCloseable {
  /// Bearer token of the user `admin`, which has all permissions.
  public static final String ADMIN_TOKEN = "admin-token";

  private static final String SCHEDULER_TOKEN = "scheduler-token";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final TestSetup setup;
  private final TestSite site;
  private final MusterCommands commands;
  private final Path schedulerKubeconfig;
  private final Map<ControlPlaneComponent, ChildProcess> children =
      new EnumMap<>(ControlPlaneComponent.class);
  private final List<KubernetesClient> clients = new ArrayList<>();
  private final Thread atExit = new Thread(this::killAll, "control-plane-at-exit");

  private ControlPlane(TestSetup setup, TestSite site) throws IOException, InterruptedException {
    this.setup = setup;
    this.site = site;
    this.schedulerKubeconfig = site.writeKubeconfig(SCHEDULER_TOKEN);
    Path binary = GoBinary.CONTROL_PLANE.ready(site.logs());
    Path scheduler = setup.isLegacy() ? GoBinary.LEGACY_SCHEDULER.ready(site.logs()) : binary;
    this.commands =
        new MusterCommands(binary, scheduler, site, setup, site.writeKubeconfig(ADMIN_TOKEN));
  }

  /// Starts a control plane and returns when its API server is ready. Builds the binary first if
  /// the cache has none.
  ///
  /// @throws IllegalStateException if a process ends early or is not ready in time; the message has
  ///   its last lines
  public static ControlPlane start(TestSetup setup) {
    try {
      TestSite site = TestSite.create(setup.test());
      var plane = new ControlPlane(setup, site);
      plane.startAll();
      return plane;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot prepare the control plane of " + setup.test(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while the control plane was built", e);
    }
  }

  private void startAll() throws IOException {
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      var users = new ArrayList<>(setup.users());
      users.add(new TestSetup.User(ADMIN_TOKEN, "admin", List.of("system:masters")));
      users.add(new TestSetup.User(SCHEDULER_TOKEN, "system:kube-scheduler", List.of()));
      site.writeSecrets(users);
      site.writeAuditPolicy();
      start(ControlPlaneComponent.ETCD);
      start(ControlPlaneComponent.API_SERVER);
      restartScheduler(setup.scheduler());
      if (setup.controllers()) {
        start(ControlPlaneComponent.CONTROLLERS);
      }
      start(ControlPlaneComponent.KUBELETS);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /// A client with all rights; closed with the control plane.
  public KubernetesClient admin() {
    return client(ADMIN_TOKEN);
  }

  /// A client that signs in with a token; closed with the control plane.
  public KubernetesClient client(String token) {
    var config = Config.fromKubeconfig(kubeconfig(token).toFile());
    // A test that takes the API server away wants to see the error, not ten retries.
    config.setRequestRetryBackoffLimit(0);
    config.setRequestTimeout(
        (int) START_LIMIT.toMillis()); // Deleting thousands of pods is one request.
    var client = new KubernetesClientBuilder().withConfig(config).build();
    clients.add(client);
    return client;
  }

  /// A kubeconfig file that signs in with a token.
  public Path kubeconfig(String token) {
    try {
      return site.writeKubeconfig(token);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A token of a ServiceAccount, from the TokenRequest API, so that its holder has the rights of
  /// its Roles only.
  public String serviceAccountToken(String namespace, String name) {
    var request =
        new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build();
    var answer =
        admin().serviceAccounts().inNamespace(namespace).withName(name).tokenRequest(request);
    return Objects.requireNonNull(answer, () -> "No ServiceAccount " + namespace + "/" + name)
        .getStatus()
        .getToken();
  }

  /// Returns the address of the API server, which is constant during a test.
  public String apiServer() {
    return site.api();
  }

  /// The folder with one log file per component. Returns the certificate of the API server.
  Path authority() {
    return site.authority();
  }

  public Path logs() {
    return site.logs();
  }

  /// Replaces the scheduler by one with another KubeSchedulerConfiguration (YAML).
  public void restartScheduler(String configuration) {
    try {
      commands.writeSchedulerFile(configuration, schedulerKubeconfig);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write the scheduler's configuration", e);
    }
    kill(ControlPlaneComponent.SCHEDULER);
    start(ControlPlaneComponent.SCHEDULER);
  }

  /// Replaces the scheduler by another program of the same release, which takes the same flags.
  void restartScheduler(String configuration, Path program) {
    kill(ControlPlaneComponent.SCHEDULER);
    children.put(
        ControlPlaneComponent.SCHEDULER,
        new ChildProcess(
            commands.scheduledBy(program).of(ControlPlaneComponent.SCHEDULER),
            site.logs().resolve(program.getFileName() + ".log")));
    restartScheduler(configuration);
  }

  /// Replaces the scheduler by that of the control plane again.
  void restartStockScheduler(String configuration) {
    restartScheduler(configuration, commands.scheduler());
  }

  /// Begins an outage of the API server: connections break and new ones are refused.
  public void stopApiServer() {
    kill(ControlPlaneComponent.API_SERVER);
  }

  /// Ends the outage. The API server is ready again on its old port when this returns. Kubelets and
  /// controllers are restarted, because a client that saw a longer outage waits up to a minute
  /// before its next attempt. The scheduler, which the tests examine, does wait.
  public void startApiServer() {
    start(ControlPlaneComponent.API_SERVER);
    for (var around : List.of(ControlPlaneComponent.CONTROLLERS, ControlPlaneComponent.KUBELETS)) {
      if (isAlive(around)) {
        kill(around);
        start(around);
      }
    }
  }

  /// Kills a component with SIGKILL and waits for its end.
  public void kill(ControlPlaneComponent component) {
    ChildProcess child = children.get(component);
    if (child != null) {
      child.kill();
    }
  }

  public boolean isAlive(ControlPlaneComponent component) {
    ChildProcess child = children.get(component);
    return child != null && child.isAlive();
  }

  /// Starts a component that does not run, and waits until etcd or the API server answers.
  public void start(ControlPlaneComponent component) {
    ChildProcess child =
        children.computeIfAbsent(
            component,
            c -> new ChildProcess(commands.of(c), site.logs().resolve(c.command() + ".log")));
    child.start();
    switch (component) {
      case ETCD -> awaitReady(child, () -> accepts(site.etcdPort()));
      case API_SERVER -> awaitReady(child, this::apiServerIsReady);
      case SCHEDULER, CONTROLLERS, KUBELETS -> {}
    }
  }

  private void awaitReady(ChildProcess child, Callable<Boolean> ready) {
    try {
      await(child.toString())
          .atMost(START_LIMIT)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions()
          .failFast(() -> !child.isAlive())
          .until(ready);
    } catch (RuntimeException e) {
      throw new IllegalStateException(child + " is not ready:\n" + child.tail(), e);
    }
  }

  private static boolean accepts(int port) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }

  private boolean apiServerIsReady() throws IOException {
    // The certificate is written before the port opens, and a client cannot be made without it.
    if (Files.notExists(site.authority()) || !accepts(site.apiPort())) {
      return false;
    }
    var probe = clients.isEmpty() ? admin() : clients.getFirst();
    return "ok".equals(probe.raw("/readyz"))
        && probe.namespaces().withName("default").get() != null;
  }

  private void killAll() {
    children.values().forEach(ChildProcess::kill);
  }

  /// Closes the clients, kills every process and removes the temporary files; the logs stay.
  @Override
  public void close() {
    clients.forEach(KubernetesClient::close);
    killAll();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
      site.deleteFolder();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove " + site.folder(), e);
    } catch (IllegalStateException e) {
      return; // The JVM is on its way down and the hook runs already.
    }
  }
}

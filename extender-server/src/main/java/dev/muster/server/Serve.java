package dev.muster.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Step;
import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.journal.Header;
import dev.muster.policy.journal.JournalWriter;
import dev.muster.policy.preemption.PolicyWatch;
import dev.muster.server.http.HttpFront;
import dev.muster.server.http.Parts;
import dev.muster.server.http.QueueMetrics;
import dev.muster.server.http.ServerMetrics;
import dev.muster.server.kube.Kubeconfig;
import dev.muster.server.loop.JournalThread;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `muster serve`: the live scheduler, until it is told to stop.
@Command(
    name = "serve",
    description = "Runs the scheduler extender and the gang queue against a Kubernetes cluster.",
    mixinStandardHelpOptions = true)
public final class Serve implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(Serve.class);

  private static final Duration GRACE = Duration.ofSeconds(20);

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "The configuration, a MusterConfiguration in YAML. Default: safe defaults.")
  private @Nullable Path config;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "How to reach the API server. Default: $KUBECONFIG, or ~/.kube/config, or the pod's service account.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--check",
      description = "Only checks the configuration, and says what is wrong with it.")
  private boolean checkOnly;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return switch (loaded()) {
      case Loaded.Invalid<MusterConfiguration> invalid -> {
        System.err.println(invalid.render());
        yield 2;
      }
      case Loaded.Valid<MusterConfiguration>(MusterConfiguration valid, String revision) -> {
        if (!checkOnly) {
          serve(valid, revision);
        }
        yield 0;
      }
    };
  }

  private Loaded<MusterConfiguration> loaded() {
    return config == null
        ? new Loaded.Valid<>(MusterConfiguration.defaults(), "defaults")
        : ConfigurationLoader.load(config);
  }

  private void serve(MusterConfiguration configuration, String revision)
      throws IOException, InterruptedException {
    logAt(configuration);
    AtomicReference<@Nullable ServerMetrics> counting = new AtomicReference<>();
    Guarantees guarantees = new Guarantees(configuration.shares());
    CountDownLatch closed = new CountDownLatch(1);
    Assembly assembly = new Assembly(configuration);
    try (PolicyFeed policy = PolicyFeed.open(configuration.preemption(), InstantSource.system());
        JournalThread journal = journal(configuration, assembly, policy);
        Ledger ledger = Ledger.open(configuration.preemption().ledgerFile());
        KubernetesClient client = Kubeconfig.client(Optional.ofNullable(kubeconfig));
        MusterServer muster =
            MusterServer.start(
                client,
                OwnPod.of(System.getenv()).holder(),
                assembly.settings(
                    journal == null ? Journal.NONE : journal,
                    policy,
                    (step, took) -> {
                      ledger.note(step);
                      count(counting.get(), step, took);
                      guarantees.warning(step.after().cluster()).ifPresent(LOG::warn);
                    }),
                status -> halt(journal, status));
        ServerMetrics metrics = new ServerMetrics(muster.state());
        HttpFront front =
            HttpFront.start(
                parts(assembly, muster, metrics, policy).noting(ledger::last), assembly.listen())) {
      counting.set(metrics);
      metrics.watching(muster::isWatching);
      metrics.leading(muster::leads);
      policy.register(metrics.registry());
      policy.follow(status -> changed(status, muster));
      new QueueMetrics(metrics.registry(), muster.state(), configuration.shares()).register();
      LOG.info(
          "Muster listens on port {}, {}; configuration {}.",
          front.port(),
          webhook(front.tlsPort()),
          revision);
      CountDownLatch stopped = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stopped, closed), "stop"));
      stopped.await();
    } finally {
      closed.countDown();
    }
  }

  static String webhook(OptionalInt port) {
    return port.isPresent()
        ? "webhook port " + port.getAsInt()
        : "no webhook, since the configuration has no server.tls";
  }

  private static void changed(PolicyWatch.Status status, MusterServer muster) {
    OwnPod.of(System.getenv()).policyProblem(status).ifPresent(muster::report);
    if (status.isGood()) {
      muster.policyChanged(status.loadedAt(), status.revision());
    }
  }

  private static Parts parts(
      Assembly assembly, MusterServer muster, ServerMetrics metrics, PolicyFeed policy) {
    Parts parts = assembly.parts(muster, metrics, policy);
    return policy.watch().map(watch -> parts.with(watch::status)).orElse(parts);
  }

  /// The JVM ends when its hooks have; this one gives the main thread time to close everything. It
  /// cannot wait for that thread's end, which waits for the JVM's.
  private static void stop(CountDownLatch stopped, CountDownLatch closed) {
    stopped.countDown();
    try {
      if (!closed.await(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("Not everything could be closed within {}.", GRACE);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// After a bug: what led to it is worth having, the turns that still wait for the disk too.
  private static void halt(@Nullable JournalThread journal, int status) {
    try {
      if (journal != null) {
        journal.close();
      }
    } finally {
      Runtime.getRuntime().halt(status);
    }
  }

  private static void count(@Nullable ServerMetrics metrics, Step step, Duration took) {
    if (metrics != null) {
      metrics.stepped(step, took);
    }
  }

  private static @Nullable JournalThread journal(
      MusterConfiguration configuration, Assembly assembly, PolicyFeed policy) throws IOException {
    Optional<Path> file = configuration.journalFile();
    if (file.isEmpty()) {
      return null;
    }
    Header header =
        Header.of(
            assembly.topology(), assembly.policies().with(policy.get()), assembly.kube().written());
    return JournalThread.start(JournalWriter.open(file.get(), header, LOG::warn));
  }

  private static void logAt(MusterConfiguration configuration) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger("dev.muster").setLevel(Level.convertAnSLF4JLevel(configuration.logLevel()));
  }
}

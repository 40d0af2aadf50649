package dev.muster.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.muster.core.admission.Queues;
import dev.muster.core.drive.Journal;
import dev.muster.core.state.Step;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.config.MusterConfiguration;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.policy.journal.JournalWriter;
import dev.muster.policy.preemption.FilePolicy;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.preemption.load.PolicyWatch;
import dev.muster.server.http.HttpDependencies;
import dev.muster.server.http.HttpFront;
import dev.muster.server.http.ServerMetrics;
import dev.muster.server.http.access.ReviewedAccess;
import dev.muster.server.http.page.GangTransitions;
import dev.muster.server.http.page.ServerFacts;
import dev.muster.server.kube.act.RefusedRecords;
import dev.muster.server.kube.client.Kubeconfig;
import dev.muster.server.kube.client.Leadership;
import dev.muster.server.kube.watch.WatchHealth;
import dev.muster.server.loop.JournalThread;
import dev.muster.server.metrics.FleetMetrics;
import dev.muster.server.metrics.GangMetrics;
import dev.muster.server.metrics.QueueMetrics;
import dev.muster.server.tracing.GangTracing;
import dev.muster.server.usage.BudgetMetrics;
import dev.muster.server.usage.UsageBook;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Command `muster serve`: runs the live scheduler until a termination signal.
@Command(
    name = "serve",
    description = "Runs the scheduler extender and the gang queue against a Kubernetes cluster.",
    mixinStandardHelpOptions = true)
public final class ServeCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(ServeCommand.class);

  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final int NOT_VALID = 2;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration file, a MusterConfiguration in YAML. Default: safe defaults.")
  private @Nullable Path config;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "Kubeconfig file for the API server. Default: $KUBECONFIG, ~/.kube/config or the pod's"
              + " service account.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--check",
      description =
          "Only checks the configuration and its preemption policy, and prints all errors or their"
              + " revisions.")
  private boolean checkOnly;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    return switch (loaded()) {
      case Loaded.Invalid<MusterConfiguration> invalid -> refused(invalid);
      case Loaded.Valid<MusterConfiguration>(MusterConfiguration valid, String revision) -> {
        if (checkOnly) {
          yield check(valid, revision);
        }
        serve(valid, revision);
        yield 0;
      }
    };
  }

  private int refused(Loaded.Invalid<?> invalid) {
    spec.commandLine().getErr().println(invalid.render());
    return NOT_VALID;
  }

  /// Checks the configuration and its policy, and prints which files were checked and which were
  /// not.
  private int check(MusterConfiguration valid, String revision) throws IOException {
    say(
        config == null
            ? "No configuration file given; the defaults apply."
            : "%s is valid: revision %s.".formatted(config, revision));
    Optional<Path> policy = valid.preemption().place();
    if (policy.isEmpty()) {
      say("No preemption policy configured; preemption is off.");
      return 0;
    }
    if (!Files.exists(policy.get())) {
      say(
          "The preemption policy %s was not checked: no such file here. It may exist only where the server runs."
              .formatted(policy.get()));
      return 0;
    }
    Plugins plugins = Plugins.in(valid.preemption().pluginFolder());
    return switch (new PolicyLoader(plugins, _ -> {}).load(PolicySources.of(policy.get()))) {
      case Loaded.Invalid<PreemptionPolicy> invalid -> refused(invalid);
      case Loaded.Valid<PreemptionPolicy> good -> {
        say(
            "The preemption policy %s is valid: revision %s."
                .formatted(policy.get(), good.revision()));
        yield 0;
      }
    };
  }

  private void say(String sentence) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(sentence);
    out.flush();
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
    GuaranteeCheck guarantees = new GuaranteeCheck(configuration.shares());
    CountDownLatch closed = new CountDownLatch(1);
    Assembly assembly = new Assembly(configuration);
    GangTransitions history = new GangTransitions();
    Leadership.Holder own = OwnPod.of(System.getenv()).holder();
    try (PolicyFeed policy = PolicyFeed.open(configuration.preemption(), InstantSource.system());
        JournalThread journal = journal(configuration, assembly, policy);
        PreemptionLedger ledger = PreemptionLedger.open(configuration.preemption().ledgerFile());
        UsageBook usage =
            UsageBook.open(
                    configuration.usage().storeFile(),
                    configuration.usage().keptDays(),
                    configuration.shares(),
                    configuration.budgets(),
                    InstantSource.system().instant())
                .start();
        GangTracing tracing = assembly.tracing(release(), own.name());
        KubernetesClient client = Kubeconfig.client(Optional.ofNullable(kubeconfig));
        MusterServer muster =
            MusterServer.start(
                client,
                own,
                assembly.settings(
                    journal == null ? Journal.NONE : journal,
                    policy.get(),
                    usage,
                    (step, took) -> {
                      ledger.note(step);
                      usage.note(step);
                      history.note(step);
                      trace(tracing, step);
                      count(counting.get(), step, took);
                      guarantees.warning(step.after().cluster()).ifPresent(log::warn);
                    }),
                status -> halt(journal, status));
        ServerMetrics metrics = new ServerMetrics(muster.state());
        KubernetesClient reviewing = Kubeconfig.separate(client);
        ReviewedAccess reviews = new ReviewedAccess(reviewing);
        HttpFront front =
            HttpFront.start(
                parts(assembly, muster, metrics, policy)
                    .noting(ledger::last)
                    .accounting(usage)
                    .remembering(history)
                    .running(new ServerFacts(release(), muster::leads))
                    .reviewing(assembly.access(reviews)),
                assembly.listen())) {
      counting.set(metrics);
      if (tracing != null) {
        tracing.start(muster::uid);
      }
      metrics.watching(muster::isWatching);
      metrics.leading(muster::leads);
      metrics.keeping(muster::hold);
      metrics.watchFaults(WatchHealth.Fault.values(), muster::watchFaults);
      metrics.refusedRecords(RefusedRecords.Kind.values(), muster::refusedRecords);
      metrics.beforeScrape(policy.register(metrics.registry()));
      policy.follow(status -> changed(status, policy.get(), muster));
      GangMetrics gangs = register(metrics, muster, configuration.shares(), release());
      metrics.beforeScrape(() -> gangs.declare(FilePolicy.ruleNames(policy.get())));
      new BudgetMetrics(metrics.registry(), usage::budgets).register(configuration.budgets());
      log.info(
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

  /// Returns the version of the program that this command is part of.
  private String release() {
    String[] version = spec.root().version();
    return version.length == 0 ? "" : version[0].replaceFirst("^muster ", "");
  }

  /// Adds the metrics of gangs, GPUs and queues, and of the release.
  private static GangMetrics register(
      ServerMetrics metrics, MusterServer muster, Queues queues, String release) {
    Gauge.builder("muster.build.info", () -> 1)
        .description("The release of the program; always 1.")
        .tag("version", release)
        .register(metrics.registry());
    new QueueMetrics(metrics.registry(), muster.state(), queues).register();
    GangMetrics gangs = new GangMetrics(metrics.registry(), queues);
    metrics.eachStep(gangs::stepped);
    metrics.beforeScrape(
        new FleetMetrics(metrics.registry(), muster.state(), queues, InstantSource.system())
            ::refresh);
    return gangs;
  }

  static String webhook(OptionalInt port) {
    return port.isPresent()
        ? "webhook port " + port.getAsInt()
        : "no webhook (server.tls is not configured)";
  }

  private static void changed(
      PolicyWatch.Status status, PreemptionPolicy inForce, MusterServer muster) {
    OwnPod.of(System.getenv()).policyProblem(status).ifPresent(muster::report);
    if (status.isGood()) {
      muster.policyChanged(status.loadedAt(), inForce);
    }
  }

  private static HttpDependencies parts(
      Assembly assembly, MusterServer muster, ServerMetrics metrics, PolicyFeed policy) {
    HttpDependencies dependencies = assembly.parts(muster, metrics, policy);
    return policy.watch().map(watch -> dependencies.with(watch::status)).orElse(dependencies);
  }

  /// Waits in a shutdown hook until the main thread has closed all parts. The JVM ends with its
  /// last hook. The hook cannot join the main thread, which itself waits for the end of the JVM.
  private static void stop(CountDownLatch stopped, CountDownLatch closed) {
    stopped.countDown();
    try {
      if (!closed.await(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("Shutdown did not complete within {}.", GRACE);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the process after a bug. The waiting turns of the journal are written first, since they
  /// show the cause.
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

  private static void trace(@Nullable GangTracing tracing, Step step) {
    if (tracing != null) {
      tracing.note(step);
    }
  }

  private static @Nullable JournalThread journal(
      MusterConfiguration configuration, Assembly assembly, PolicyFeed policy) throws IOException {
    Optional<Path> file = configuration.journalFile();
    if (file.isEmpty()) {
      return null;
    }
    JournalHeader header =
        JournalHeader.of(
            assembly.topology(), assembly.policies().with(policy.get()), assembly.kube().written());
    return JournalThread.start(JournalWriter.open(file.get(), header, log::warn));
  }

  private static void logAt(MusterConfiguration configuration) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger("dev.muster").setLevel(Level.convertAnSLF4JLevel(configuration.logLevel()));
  }
}

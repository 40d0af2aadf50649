package dev.muster.server;

import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Engine;
import dev.muster.core.engine.Policies;
import dev.muster.core.engine.State;
import dev.muster.core.engine.Step;
import dev.muster.core.preemption.PreemptionPolicy;
import dev.muster.core.topology.Topology;
import dev.muster.server.kube.KubeSettings;
import dev.muster.server.kube.KubeWorld;
import dev.muster.server.kube.Leadership;
import dev.muster.server.kube.Problem;
import dev.muster.server.loop.EngineThread;
import dev.muster.server.loop.Mailbox;
import dev.muster.server.loop.PolicyChanges;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/// The live scheduler without its HTTP front: the cluster, the mailbox and the engine thread, wired
/// together.
public final class MusterServer implements AutoCloseable {
  /// Events that wait for the engine; at the start whole clusters go through it.
  private static final int MAILBOX = 65_536;

  /// The exit status when another leads (EX_TEMPFAIL).
  static final int DEPOSED = 75;

  private final KubeWorld world;
  private final PolicyChanges changes;
  private final EngineThread engine;

  /// What an admin decides.
  ///
  /// @param kube what of the cluster is ours
  /// @param topology the levels of the fabric
  /// @param policies the configuration of the brain
  /// @param journal where turns are noted
  /// @param preemption the preemption policy in force at the start
  /// @param watcher told of every step and how long the engine took for it
  public record Settings(
      KubeSettings kube,
      Topology topology,
      Policies policies,
      Journal journal,
      PreemptionPolicy preemption,
      BiConsumer<Step, Duration> watcher) {}

  private MusterServer(KubeWorld world, PolicyChanges changes, EngineThread engine) {
    this.world = world;
    this.changes = changes;
    this.engine = engine;
  }

  /// Starts everything and returns at once; decisions begin when all that exists was seen and this
  /// process leads.
  ///
  /// @param who wants to lead
  /// @param exit told the exit status after a bug in the engine, or when another leads;
  ///   `System::exit` outside tests
  public static MusterServer start(
      KubernetesClient client, Leadership.Holder who, Settings settings, IntConsumer exit) {
    Mailbox mailbox = new Mailbox(MAILBOX);
    State start = State.empty(settings.topology(), settings.policies());
    KubeWorld world =
        KubeWorld.start(
            client,
            new KubeWorld.Candidacy(who, () -> exit.accept(DEPOSED)),
            mailbox,
            settings.kube(),
            start);
    PolicyChanges changes = new PolicyChanges(mailbox);
    var loop =
        new EngineThread.Loop(
            new Engine(settings.policies().with(settings.preemption())),
            mailbox,
            settings.journal(),
            world.outbox(),
            settings.watcher(),
            changes);
    return new MusterServer(world, changes, EngineThread.start(loop, start, exit));
  }

  /// The published image: the state after the newest step.
  public Supplier<State> state() {
    return world.outbox();
  }

  /// Gives the engine another preemption policy; for the thread that follows the files.
  void policyChanged(Instant at, PreemptionPolicy policy) {
    changes.put(at, policy);
  }

  /// Whether decisions can be taken: everything was seen once, the engine runs, and this process
  /// leads.
  public boolean isReady() {
    return isAlive() && world.isSynced() && leads();
  }

  /// Whether this process may act right now, of all that stand by for each other.
  public boolean leads() {
    return world.leads();
  }

  /// Whether the engine runs; when not, only a new process helps.
  public boolean isAlive() {
    return engine.isAlive();
  }

  /// Whether the cluster is being followed right now; false until everything was seen once, and
  /// during an outage of the API server.
  public boolean isWatching() {
    return world.isWatching();
  }

  /// Tells whoever looks at an object what is wrong, by an Event.
  void report(Problem problem) {
    world.outbox().report(problem);
  }

  /// The labels of a namespace; none when it is not known.
  public Map<String, String> namespaceLabels(String namespace) {
    return world.namespaceLabels(namespace);
  }

  /// Whether a pod that names these resource claims and templates asks for GPUs that can be
  /// counted, as far as that is known.
  public boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return world.claimsGpus(namespace, claims, templates);
  }

  /// Stops deciding first, then following; what is under way is given a few seconds to end.
  @Override
  public void close() {
    engine.close();
    world.close();
  }
}

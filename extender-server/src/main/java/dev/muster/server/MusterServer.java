package dev.muster.server;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Journal;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.config.PodHold;
import dev.muster.server.kube.KubeWorld;
import dev.muster.server.kube.act.RefusedRecords;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.Leadership;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.watch.WatchHealth;
import dev.muster.server.loop.EngineThread;
import dev.muster.server.loop.Mailbox;
import dev.muster.server.loop.PolicyChanges;
import dev.muster.server.usage.UsageBook;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/// The live scheduler without its HTTP server: cluster access, mailbox and engine thread.
public final class MusterServer implements AutoCloseable {
  /// Maximum number of events that wait for the engine. At startup a whole cluster passes through.
  private static final int MAILBOX = 65_536;

  /// Exit status after another process became the leader (EX_TEMPFAIL).
  static final int DEPOSED = 75;

  private final KubeWorld world;
  private final PolicyChanges changes;
  private final EngineThread engine;

  /// Settings of the scheduler that come from the configuration.
  ///
  /// @param kube settings for reading the cluster
  /// @param topology topology levels of the network
  /// @param policies policies of the engine
  /// @param journal destination of the journal
  /// @param preemption preemption policy at startup
  /// @param usage usage that shows which budgets are spent
  /// @param watcher receiver of every step and of the engine's time for it
  public record Settings(
      KubeSettings kube,
      Topology topology,
      Policies policies,
      Journal journal,
      PreemptionPolicy preemption,
      UsageBook usage,
      BiConsumer<Step, Duration> watcher) {}

  private MusterServer(KubeWorld world, PolicyChanges changes, EngineThread engine) {
    this.world = world;
    this.changes = changes;
    this.engine = engine;
  }

  /// Starts all parts and returns immediately. Decisions begin once all existing objects have been
  /// read and this process is the leader.
  ///
  /// @param who candidate for the leadership
  /// @param exit receiver of the exit status after a bug in the engine or the loss of the
  ///   leadership; `System::exit` outside tests
  public static MusterServer start(
      KubernetesClient client, Leadership.Holder who, Settings settings, IntConsumer exit) {
    Mailbox mailbox = new Mailbox(MAILBOX);
    State start = State.empty(settings.topology(), settings.policies());
    // Before the watches begin, so that the first decision knows which budgets are spent.
    settings.usage().follow((at, spent) -> mailbox.put(new Event.BudgetsSpent(at, spent)));
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

  /// Returns the published state: the state after the newest step.
  public Supplier<State> state() {
    return world.outbox();
  }

  /// Records a question of kube-scheduler about a member.
  void asked(State state, Member member) {
    world.asked(state, member);
  }

  /// Returns what keeps the pods of gangs from kube-scheduler until they start.
  PodHold hold() {
    return world.hold();
  }

  /// Returns what keeps the pods of gangs in this namespace.
  PodHold hold(String namespace) {
    return world.hold(namespace);
  }

  /// Replaces the engine's preemption policy. Called by the thread that watches the policy files.
  void policyChanged(Instant at, PreemptionPolicy policy) {
    changes.put(at, policy);
  }

  /// True if decisions can be taken: all objects were read once, the engine runs, and this process
  /// is the leader.
  public boolean isReady() {
    return isAlive() && world.isSynced() && leads();
  }

  /// True if this process decides, or could take over at once.
  public boolean isAvailable() {
    return isReady() || (isAlive() && world.standsBy());
  }

  /// True if this process may act now, as the leader of all replicas.
  public boolean leads() {
    return world.leads();
  }

  /// True if the engine runs. If false, the process has to be restarted.
  public boolean isAlive() {
    return engine.isAlive();
  }

  /// True if the cluster is being watched now. False until all objects were read once, and during
  /// an outage of the API server.
  public boolean isWatching() {
    return world.isWatching();
  }

  /// Returns the number of faults of watches so far.
  long watchFaults(WatchHealth.Fault fault) {
    return world.watchFaults(fault);
  }

  /// Returns the number of records of the kind that objects refused so far.
  long refusedRecords(RefusedRecords.Kind kind) {
    return world.refusedRecords(kind);
  }

  /// Reports a problem of an object to its owner, by an Event.
  void report(ObjectProblem problem) {
    world.outbox().report(problem);
  }

  /// Returns the labels of a namespace; empty if the namespace is unknown.
  public Map<String, String> namespaceLabels(String namespace) {
    return world.namespaceLabels(namespace);
  }

  /// True if a pod with these resource claims and templates is known to request countable GPUs.
  public boolean claimsGpus(String namespace, Set<String> claims, Set<String> templates) {
    return world.claimsGpus(namespace, claims, templates);
  }

  /// Returns the gang that the owner of the pod has; empty if it has none.
  public Optional<GangId> ownerGang(OwnedPod pod) {
    return world.ownerGang(pod);
  }

  /// Returns the uid of the PodGroup that declares the gang; empty if it is not known.
  Optional<String> uid(GangId gang) {
    return world.uid(gang);
  }

  /// Stops the engine first, then the watches. Calls in flight have a few seconds to finish.
  @Override
  public void close() {
    engine.close();
    world.close();
  }
}

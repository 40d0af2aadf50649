package dev.muster.core.kit;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// A world with random faults of effects, events, nodes, kube-scheduler and the scheduler itself.
///
/// - Effects are answered late, in part or not at all ([FaultyOutbox]).
/// - Events are delayed, reordered and dropped ([FaultyDelivery]).
/// - kube-scheduler refuses pods or binds them late.
/// - Nodes shrink and vanish, PodGroups are deleted and changed, unmanaged pods take capacity.
/// - The scheduler is killed between any two effects and restarted from the objects
///   ([FaultyObjects]).
///
/// The engine knows only delivered events. Equal seeds give equal histories.
public final class FaultyWorld {
  private static final int MOST_GANGS = 16;

  /// Is called after every step.
  @FunctionalInterface
  public interface Watch {
    /// The engine took a step.
    void see(FaultyWorld world, Event event, Step step);
  }

  private final Random random;
  private final Watch watch;
  private final Policies policies;
  private final Engine engine;
  private final FaultyDelivery news;
  private final FaultyObjects objects;
  private final FaultyOutbox outbox;
  private final FaultyGangs gangs;
  private final List<Event> told = new ArrayList<>();
  private final List<Effect> asked = new ArrayList<>();
  private State state;
  private boolean calm;
  private boolean killed;
  private int steps;
  private int starts;

  /// A world of a few nodes, all seen.
  public FaultyWorld(int seed, Watch watch) {
    this.random = new Random(seed);
    this.watch = watch;
    this.policies = FaultyGangs.policies(random);
    this.engine = new Engine(policies);
    this.news = new FaultyDelivery(random);
    this.objects = new FaultyObjects(random, news);
    this.outbox = new FaultyOutbox(random, objects, news);
    this.gangs = new FaultyGangs(random);
    this.state = empty();
    restart();
  }

  /// Before anything was seen.
  public State empty() {
    return State.empty(Scene.RACKS, policies);
  }

  public Policies policies() {
    return policies;
  }

  public State state() {
    return state;
  }

  public Cluster cluster() {
    return state.cluster();
  }

  /// Returns all events since the last start of the engine.
  public List<Event> told() {
    return List.copyOf(told);
  }

  /// All that the engine asked for since it was last started.
  public List<Effect> asked() {
    return List.copyOf(asked);
  }

  /// Returns the number of steps of the engine, including those before restarts.
  public int steps() {
    return steps;
  }

  /// Returns the number of starts of the engine.
  public int starts() {
    return starts;
  }

  /// The pods as they truly stand.
  public List<Member> pods() {
    return objects.pods();
  }

  /// The declared gangs.
  public List<GangSpec> groups() {
    return objects.groups();
  }

  /// Whether members may be missing for another reason than a start that failed.
  public boolean isExcused(GangId gang) {
    return objects.isExcused(gang);
  }

  // ---- What happens ----

  /// Makes a random change and delivers some of the due events.
  public void turn() {
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3 -> arrive();
      case 4, 5 -> objects.any().ifPresent(objects::end);
      case 6 -> objects.any().ifPresent(objects::die);
      case 7 -> objects.loseNode();
      case 8 -> objects.returnNode();
      case 9 -> objects.toggleUnmanagedPod();
      case 10 -> objects.resize();
      case 11 ->
          objects.any().ifPresent(random.nextBoolean() ? objects::withdraw : objects::respecify);
      case 12 -> killed |= random.nextInt(4) == 0;
      case 13, 14, 15 -> schedule();
      case 16 -> sleep(Duration.ofSeconds(30 + random.nextInt(300)));
      default -> pass(Duration.ofSeconds(1 + random.nextInt(20)));
    }
    tell(random.nextInt(8));
  }

  /// From now on everything works, for so long.
  public void calm(Duration duration) {
    calm = true;
    news.calm();
    outbox.calm();
    pass(duration);
  }

  private void arrive() {
    if (objects.groups().size() < MOST_GANGS) {
      objects.arrive(gangs.next(objects.now()));
    } else {
      objects.any().ifPresent(objects::end);
    }
  }

  private void pass(Duration duration) {
    for (long second = 0; second < duration.toSeconds(); second++) {
      Instant now = objects.now().plusSeconds(1);
      objects.pass(now);
      step(new Event.Tick(now));
      outbox.catchUp();
      if (calm || random.nextInt(3) == 0) {
        objects.bury();
        tell(Integer.MAX_VALUE);
        schedule();
      }
    }
  }

  /// Suspends the machine: time passes without any step.
  private void sleep(Duration duration) {
    Instant now = objects.now().plus(duration);
    objects.pass(now);
    step(new Event.Tick(now, Optional.of(duration)));
  }

  // ---- What the engine hears ----

  private void tell(int most) {
    for (int i = 0; i < most; i++) {
      Optional<Event> next = news.next();
      if (next.isEmpty()) {
        return;
      }
      step(next.get());
    }
  }

  private void step(Event event) {
    if (killed) {
      restart();
    } else {
      hear(event);
    }
  }

  /// Starts a new process with the present objects. It may be killed while it begins to work.
  private void restart() {
    do {
      outbox.kill();
      news.clear();
      told.clear();
      asked.clear();
      killed = false;
      state = empty();
      starts++;
      objects.listing().forEach(this::hear);
      hear(new Event.Synced(objects.now()));
    } while (killed);
  }

  private void hear(Event event) {
    told.add(event);
    steps++;
    Step step = engine.step(state, event);
    state = step.after();
    asked.addAll(step.effects());
    watch.see(this, event, step);
    for (Effect effect : step.effects()) {
      killed |= !calm && random.nextInt(150) == 0;
      if (killed) {
        return;
      }
      outbox.ask(effect);
    }
  }

  // ---- kube-scheduler ----

  /// kube-scheduler tries nominated pods, and once the others. It asks the engine's newest image as
  /// `/filter` does.
  private void schedule() {
    for (Member pod : objects.pods()) {
      if (pod.state()
              instanceof MemberState.Waiting(Optional<NodeId> nominated, boolean refused, _, _)
          && (nominated.isPresent() || !refused)
          && (calm || random.nextBoolean())) {
        nominated
            .or(() -> promised(pod))
            .ifPresentOrElse(node -> schedule(pod, node), () -> refuse(pod));
      }
    }
  }

  private void schedule(Member pod, NodeId node) {
    boolean late = !calm && random.nextInt(12) == 0; // it had asked before
    if ((late || passes(pod, node)) && objects.hasRoom(node, pod.request().resources())) {
      objects.put(pod.as(new MemberState.Bound(node, objects.now())));
    } else if (calm || random.nextInt(3) == 0) {
      refuse(pod);
    }
  }

  private void refuse(Member pod) {
    objects.put(pod.as(new MemberState.Waiting(Optional.empty(), true)));
  }

  private boolean passes(Member pod, NodeId node) {
    return promised(pod).filter(node::equals).isPresent();
  }

  private Optional<NodeId> promised(Member pod) {
    return cluster()
        .reservations()
        .get(pod.gang())
        .flatMap(reservation -> reservation.open(pod.id()))
        .map(Promise::node);
  }
}

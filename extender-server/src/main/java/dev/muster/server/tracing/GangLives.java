package dev.muster.server.tracing;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import dev.muster.core.state.WaitClass;
import dev.muster.server.logging.LogThrottle;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The lives of all gangs that have not ended, made from the differences between two images.
///
/// An image in between may be left out: then only events are missing. The number of lives is
/// limited, in all and for each namespace, so one tenant takes no memory or traces from others.
///
/// It is used by one thread at a time.
final class GangLives {
  /// Gangs that are followed at once.
  static final int MOST = 20_000;

  /// Gangs of one namespace that are followed at once.
  static final int MOST_OF_NAMESPACE = 5_000;

  private static final Logger log = LoggerFactory.getLogger(GangLives.class);
  private static final String TOO_MANY =
      "Some gangs get no trace: at most {} are followed at once, and {} of one namespace.";

  private final Function<GangId, Optional<String>> uids;
  private final Consumer<GangSpan> spans;
  private final Map<GangId, GangLife> lives = new HashMap<>();
  private final Map<String, Integer> ofNamespace = new HashMap<>();
  private final LogThrottle throttle = new LogThrottle();
  private State before;

  /// @param first state without gangs
  /// @param uids uid of the object that declares a gang
  /// @param spans receiver of spans that are over
  GangLives(State first, Function<GangId, Optional<String>> uids, Consumer<GangSpan> spans) {
    this.before = first;
    this.uids = uids;
    this.spans = spans;
  }

  /// Takes the newest image.
  void seen(State now) {
    boolean tooMany = false;
    for (GangId gang : touched(before, now)) {
      GangLife life = lives.get(gang);
      if (life != null) {
        if (!life.seen(now, spans)) {
          lives.remove(gang);
          ofNamespace.computeIfPresent(gang.namespace(), (_, n) -> n == 1 ? null : n - 1);
        }
      } else if (isAlive(now, gang) && !begin(now, now.cluster().gang(gang))) {
        tooMany = true;
      }
    }
    before = now;
    if (tooMany && throttle.isNew(TOO_MANY)) {
      log.warn(TOO_MANY, MOST, MOST_OF_NAMESPACE);
    }
  }

  private static boolean isAlive(State state, GangId gang) {
    return state.cluster().gang(gang).spec().isPresent()
        && LifePhase.of(state, gang) != LifePhase.ENDED;
  }

  /// Begins to follow the gang. Returns false if too many are followed.
  private boolean begin(State now, Gang gang) {
    GangId id = gang.id();
    int others = ofNamespace.getOrDefault(id.namespace(), 0);
    if (lives.size() >= MOST || others >= MOST_OF_NAMESPACE) {
      return false;
    }
    boolean again =
        before.cluster().gang(id).spec().isPresent() && LifePhase.of(before, id) == LifePhase.ENDED;
    lives.put(
        id,
        new GangLife(
            now,
            gang,
            again ? now.cluster().now() : gang.spec().orElseThrow().createdAt(),
            uid(gang)));
    ofNamespace.put(id.namespace(), others + 1);
    return true;
  }

  private String uid(Gang gang) {
    return gang.id().origin() == GangId.Origin.POD && !gang.members().isEmpty()
        ? gang.members().keys().getFirst().uid()
        : uids.apply(gang.id()).orElse("");
  }

  /// Returns the gangs about which the images differ.
  private static Set<GangId> touched(State before, State now) {
    Set<GangId> gangs = new HashSet<>();
    Cluster then = before.cluster();
    Cluster cluster = now.cluster();
    add(gangs, then.gangs(), cluster.gangs());
    add(gangs, then.reservations(), cluster.reservations());
    add(gangs, before.standing(), now.standing());
    for (var change : now.preemptions().underWay().differences(before.preemptions().underWay())) {
      gangs.add(change.key());
      change.before().map(Preemption::stops).ifPresent(stops -> gangs.addAll(stops.keys()));
      change.now().map(Preemption::stops).ifPresent(stops -> gangs.addAll(stops.keys()));
    }
    for (var change : now.waiting().classes().differences(before.waiting().classes())) {
      Optional<WaitClass> waits = change.now();
      boolean same =
          waits.isPresent()
              && change.before().filter(old -> old.isAnswered(waits.get().why())).isPresent();
      if (waits.isPresent() && !same) {
        waits.get().gangs().forEach(gangs::add);
      }
    }
    return gangs;
  }

  private static <V> void add(
      Set<GangId> gangs, SortedTable<GangId, V> before, SortedTable<GangId, V> now) {
    now.differences(before).forEach(change -> gangs.add(change.key()));
  }

  /// Returns the number of gangs that are followed.
  int size() {
    return lives.size();
  }
}

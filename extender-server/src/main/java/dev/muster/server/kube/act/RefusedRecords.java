package dev.muster.server.kube.act;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.logging.LogThrottle;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells of records that an object refuses, for example because its owner filled its annotations.
///
/// A gang cannot start without its own record. A victim leaves all the same, or its owner could
/// forbid the preemption.
public final class RefusedRecords {
  private static final Logger log = LoggerFactory.getLogger(RefusedRecords.class);

  /// The reason of the Event on the object of a victim.
  static final String REASON = "RecordRefused";

  /// What could not be written.
  public enum Kind {
    /// The places of a gang.
    RESERVATION,
    /// The victims of a gang.
    VICTIMS,
    /// The notice on a victim.
    NOTICE
  }

  private final EventWriter events;
  private final GangObjects objects;
  private final LogThrottle throttle = new LogThrottle();
  private final Map<Kind, LongAdder> counts = new EnumMap<>(Kind.class);

  public RefusedRecords(EventWriter events, GangObjects objects) {
    this.events = events;
    this.objects = objects;
    for (Kind kind : Kind.values()) {
      counts.put(kind, new LongAdder());
    }
  }

  /// Returns the number of records of the kind that were refused.
  public long count(Kind kind) {
    LongAdder found = counts.get(kind);
    return found == null ? 0 : found.sum();
  }

  /// Counts a record of the gang itself; the engine tells its owner.
  public void own(Kind kind) {
    Optional.ofNullable(counts.get(kind)).ifPresent(LongAdder::increment);
  }

  /// Tells the owner of a victim, and the admin, that its preemption goes on without a notice.
  void notice(GangId victim, List<MemberId> pods, ApiCalls.Answer answer) {
    own(Kind.NOTICE);
    if (throttle.isNew(victim + answer.problem())) {
      log.warn(
          "{} takes no notice of its preemption and is preempted all the same: {}",
          victim,
          answer.problem());
    }
    var event =
        new EventWriter.Notice(
            true,
            REASON,
            "The gang is preempted, although the notice cannot be written: " + answer.problem());
    objects
        .find(victim)
        .map(ObjectRef::to)
        .or(() -> pods.stream().findFirst().map(ObjectRef::to))
        .ifPresent(object -> events.write(object, event));
  }
}

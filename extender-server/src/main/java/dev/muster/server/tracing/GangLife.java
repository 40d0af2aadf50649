package dev.muster.server.tracing;

import dev.muster.core.cluster.Gang;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.Member;
import dev.muster.core.state.Preemption;
import dev.muster.core.state.State;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/// The life of one gang, from its first object until it has ended.
///
/// A phase becomes a span when it is over, and the life when the gang has ended. So a gang costs a
/// few fields and events meanwhile. The identity and the times of a gang that ran before this
/// process come from facts, so a restart continues its trace.
final class GangLife {
  private final GangId gang;
  private final Instant start;
  private final String uid;
  private final PhaseEvents events;
  private LifePhase phase;
  private Instant since;
  private Attributes cause = Attributes.empty();
  private String queue = "";
  private int priority;
  private int members = -1;
  private long milliGpus;
  private String identity = "";
  private boolean hasSpan;

  /// @param start time of the first object, or of the first pod after an earlier end
  /// @param uid uid of the object that declares the gang; empty if unknown
  GangLife(State state, Gang gang, Instant start, String uid) {
    this.gang = gang.id();
    this.start = within(start, Instant.MIN, state.cluster().now()); // clocks may differ
    this.uid = uid;
    events = new PhaseEvents(gang.id());
    phase = LifePhase.of(state, gang.id());
    since = within(phase.since(state, gang), this.start, state.cluster().now());
    cause = cause(state);
    measure(gang);
    events.see(state, phase);
  }

  private static Instant within(Instant time, Instant first, Instant last) {
    Instant late = time.isBefore(first) ? first : time;
    return late.isAfter(last) ? last : late;
  }

  /// Takes the newest image. Returns false if the gang has ended.
  boolean seen(State state, Consumer<GangSpan> spans) {
    Gang seen = state.cluster().gang(gang);
    LifePhase next = LifePhase.of(state, gang);
    if (seen.spec().isPresent()) {
      measure(seen);
    }
    if (next != phase) {
      Instant now = state.cluster().now();
      spans.accept(span(phase.spanName(), since, now, attributes().putAll(cause), false));
      if (next == LifePhase.ENDED) {
        spans.accept(root(seen, now));
        return false;
      }
      hasSpan = true;
      phase = next;
      since = now;
      cause = cause(state);
      events.clear();
    }
    events.see(state, phase);
    return true;
  }

  private GangSpan root(Gang seen, Instant now) {
    Optional<GangPast.RunEnd> end = seen.end();
    boolean failed = end.filter(run -> run.failed() > 0).isPresent();
    String outcome = end.isEmpty() ? "Deleted" : failed ? "Failed" : "Succeeded";
    events.clear();
    return span(GangSpan.ROOT, start, now, attributes().put(TraceKeys.OUTCOME, outcome), failed);
  }

  private GangSpan span(
      String name, Instant from, Instant until, AttributesBuilder attributes, boolean failed) {
    return new GangSpan(identity, name, from, until, attributes.build(), events.list(), failed);
  }

  /// Describes the gang anew if it has more members than before.
  private void measure(Gang seen) {
    if (!hasSpan) { // until then no id was made of it, and the gang may still become complete
      identity =
          String.join(
              "/",
              uid,
              gang.origin().name(),
              gang.namespace(),
              gang.name(),
              seen.eligibleAt().toString());
    }
    if (seen.members().size() > members) { // those that left were of the gang, too
      members = seen.members().size();
      milliGpus = 0;
      for (Member member : seen.members()) {
        milliGpus += 1000L * member.request().gpus() + member.request().gpuMilli();
      }
      queue = seen.queue();
      priority = seen.priority();
    }
  }

  private AttributesBuilder attributes() {
    AttributesBuilder facts =
        Attributes.builder()
            .put(TraceKeys.NAMESPACE, gang.namespace())
            .put(TraceKeys.GANG, gang.name())
            .put(TraceKeys.QUEUE, queue)
            .put(TraceKeys.MEMBERS, (long) members)
            .put(TraceKeys.GPUS, milliGpus / 1000.0)
            .put(TraceKeys.PRIORITY, (long) priority);
    if (!uid.isEmpty()) {
      facts.put(TraceKeys.UID, uid);
    }
    if (gang.origin() == GangId.Origin.POD) {
      facts.put(TraceKeys.POD_NAME, gang.name()).put(TraceKeys.POD_UID, uid);
    }
    return facts;
  }

  /// Returns why the gang stops; empty in other phases.
  private Attributes cause(State state) {
    if (phase != LifePhase.STOPPING) {
      return Attributes.empty();
    }
    Optional<Preemption> by = state.preemptions().by(gang);
    if (by.isPresent()) {
      return PhaseEvents.preemption(by.get(), gang).toBuilder()
          .put(TraceKeys.CAUSE, "Preempted")
          .build();
    }
    Optional<Veto> released =
        state
            .standing()
            .get(gang)
            .filter(Decision.Release.class::isInstance)
            .map(Decision::why)
            .flatMap(Explanation::main);
    return released
        .map(veto ->
            Attributes.of(
                TraceKeys.CAUSE, "Released", TraceKeys.MESSAGE, ReasonText.sentence(veto, gang)))
        .orElseGet(() -> Attributes.of(TraceKeys.CAUSE, "Deleted"));
  }
}

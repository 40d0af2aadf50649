package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Succession;
import dev.muster.core.engine.Engine;
import dev.muster.core.preemption.PreemptionPolicy;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Preemption policies on their way to the engine. The event carries the revision alone; the policy
/// waits here for the very turn that takes the event, so that the journal names the policy by which
/// was decided, however many changes the backlog holds.
public final class PolicyChanges implements Succession {
  private final Mailbox mailbox;
  private final Queue<PreemptionPolicy> coming = new ConcurrentLinkedQueue<>();

  /// @param mailbox where the events go
  public PolicyChanges(Mailbox mailbox) {
    this.mailbox = mailbox;
  }

  /// Tells the engine of another policy; for one thread, since order matters.
  public void put(Instant at, PreemptionPolicy policy) {
    coming.add(policy);
    mailbox.put(new Event.PolicyChanged(at, policy.revision()));
  }

  @Override
  public Engine next(Engine engine, Event event) {
    return event instanceof Event.PolicyChanged ? engine.with(coming.remove()) : engine;
  }
}

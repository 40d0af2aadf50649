package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Succession;
import dev.muster.core.engine.Engine;
import dev.muster.core.victims.PreemptionPolicy;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Hands new preemption policies to the engine.
///
/// The event carries the revision only. The policy waits here until the engine takes that event,
/// even if several changes are queued. So the journal names the policy that each decision used.
public final class PolicyChanges implements Succession {
  private final Mailbox mailbox;
  private final Queue<PreemptionPolicy> coming = new ConcurrentLinkedQueue<>();

  /// @param mailbox destination of the events
  public PolicyChanges(Mailbox mailbox) {
    this.mailbox = mailbox;
  }

  /// Sends another policy to the engine. For one thread only, since the order matters.
  public void put(Instant at, PreemptionPolicy policy) {
    coming.add(policy);
    mailbox.put(new Event.PolicyChanged(at, policy.revision()));
  }

  @Override
  public Engine next(Engine engine, Event event) {
    return event instanceof Event.PolicyChanged ? engine.with(coming.remove()) : engine;
  }
}

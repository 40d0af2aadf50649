package dev.muster.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Journal;
import dev.muster.core.drive.Outbox;
import dev.muster.core.drive.Succession;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class EngineThreadTest {
  private static final State START = State.empty(new Topology(List.of()));

  private final Mailbox mailbox = new Mailbox(2);
  private final AtomicInteger exit = new AtomicInteger(-1);

  private EngineThread start(Outbox outbox) {
    var loop =
        new EngineThread.Loop(
            new Engine(Policies.DEFAULT),
            mailbox,
            Journal.NONE,
            outbox,
            (_, _) -> {},
            Succession.NONE);
    return EngineThread.start(loop, START, exit::set);
  }

  @Test
  void thread_steps_through_the_mailbox_and_ends_cleanly() {
    AtomicReference<State> last = new AtomicReference<>(START);
    EngineThread engine = start(step -> last.set(step.after()));
    for (int i = 0; i < 10; i++) {
      mailbox.put(new Event.Tick(Instant.ofEpochSecond(i)));
    }
    await().until(() -> last.get().cluster().version() == 10);

    engine.close();
    assertThat(engine.isAlive()).isFalse();
    assertThat(exit.get()).as("no bug").isEqualTo(-1);
  }

  @Test
  void bug_ends_the_process() {
    EngineThread engine =
        start(step -> {
          throw new IllegalStateException("on purpose");
        });
    mailbox.put(new Event.Tick(Instant.EPOCH));

    await().untilAsserted(() -> assertThat(exit.get()).isEqualTo(EngineThread.BUG));
    await().until(() -> !engine.isAlive());
    engine.close();
  }

  @Test
  void full_mailbox_blocks_writers_and_skips_ticks() throws InterruptedException {
    mailbox.put(new Event.Synced(Instant.EPOCH));
    mailbox.put(new Event.Synced(Instant.EPOCH));
    mailbox.tick(new Event.Tick(Instant.EPOCH));
    assertThat(mailbox.depth()).isEqualTo(2);

    Thread writer =
        Thread.startVirtualThread(() -> mailbox.put(new Event.Synced(Instant.ofEpochSecond(9))));
    await().until(() -> writer.getState() == Thread.State.WAITING);
    mailbox.next();
    writer.join();
    mailbox.next();
    assertThat(mailbox.next()).contains(new Event.Synced(Instant.ofEpochSecond(9)));
  }

  @Test
  void closed_mailbox_releases_all_writers() throws InterruptedException {
    mailbox.put(new Event.Synced(Instant.EPOCH));
    mailbox.close();
    mailbox.put(new Event.Synced(Instant.EPOCH));

    assertThat(mailbox.next()).isEqualTo(Optional.empty());
    assertThat(mailbox.next()).isEqualTo(Optional.empty());
  }
}

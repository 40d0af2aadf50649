package dev.muster.server.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.core.cluster.Event;
import java.time.Instant;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MailboxTest {
  private static final Event EVENT = new Event.Synced(Instant.EPOCH);

  private final Mailbox mailbox = new Mailbox(10);
  private final CopyOnWriteArrayList<Event> taken = new CopyOnWriteArrayList<>();
  private volatile boolean held = true;
  private final Thread reader = Thread.ofVirtual().unstarted(this::read);

  private void read() {
    try {
      for (var next = mailbox.next(); next.isPresent(); next = mailbox.next()) {
        taken.add(next.get());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void startHeld() {
    mailbox.holdWhile(() -> held);
    reader.start();
  }

  @AfterEach
  void close() {
    mailbox.close();
  }

  @Test
  void held_events_are_delivered_afterwards() {
    startHeld();
    mailbox.put(EVENT);
    await().until(() -> reader.getState() == Thread.State.TIMED_WAITING); // it has one in its hand
    assertThat(taken).isEmpty();

    held = false;

    await().until(() -> taken.size() == 1);
  }

  @Test
  void event_that_a_waiting_reader_gets_is_held_too() {
    startHeld();
    await().until(() -> reader.getState() == Thread.State.WAITING);

    mailbox.put(EVENT);

    await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);
    assertThat(taken).isEmpty();
  }

  /// Otherwise its writers would wait for the end of an outage that needs them.
  @Test
  void half_full_mailbox_is_not_held() {
    startHeld();
    for (int i = 0; i < 7; i++) {
      mailbox.put(EVENT);
    }

    await().until(() -> !taken.isEmpty());
    await().until(() -> mailbox.depth() < 5);
  }

  @Test
  void closed_mailbox_releases_its_reader() throws InterruptedException {
    startHeld();
    mailbox.put(EVENT);

    mailbox.close();
    reader.join();

    assertThat(taken).isEmpty();
  }
}

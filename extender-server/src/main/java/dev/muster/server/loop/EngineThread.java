package dev.muster.server.loop;

import dev.muster.core.cluster.Event;
import dev.muster.core.drive.Driver;
import dev.muster.core.drive.Inbox;
import dev.muster.core.drive.Journal;
import dev.muster.core.drive.Outbox;
import dev.muster.core.drive.Succession;
import dev.muster.core.engine.Engine;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that runs the engine. A bug in the engine ends the process: the next start reads the
/// facts again from the cluster, whereas a partial step would corrupt the state permanently.
public final class EngineThread implements AutoCloseable {
  /// Exit status after a bug (EX_SOFTWARE).
  public static final int BUG = 70;

  private static final Logger log = LoggerFactory.getLogger(EngineThread.class);

  private final Thread thread;
  private final Mailbox mailbox;

  /// The inputs and outputs of the thread.
  ///
  /// @param engine engine that computes the steps
  /// @param mailbox source of events
  /// @param journal destination of the journal
  /// @param outbox destination of effects
  /// @param watcher receiver of every step and of the engine's time for it
  /// @param succession changes of the policies in the engine
  public record Loop(
      Engine engine,
      Mailbox mailbox,
      Journal journal,
      Outbox outbox,
      BiConsumer<Step, Duration> watcher,
      Succession succession) {}

  private EngineThread(Thread thread, Mailbox mailbox) {
    this.thread = thread;
    this.mailbox = mailbox;
  }

  /// Starts the thread.
  ///
  /// @param exit receiver of the exit status after a bug; `System::exit` outside tests
  public static EngineThread start(Loop loop, State state, IntConsumer exit) {
    Thread thread =
        Thread.ofPlatform().name("muster-engine").unstarted(() -> run(loop, state, exit));
    thread.start();
    return new EngineThread(thread, loop.mailbox());
  }

  private static void run(Loop loop, State start, IntConsumer exit) {
    Remembering inbox = new Remembering(loop.mailbox());
    try {
      var last =
          new Driver(
                  loop.engine(),
                  inbox,
                  loop.journal(),
                  step -> perform(loop, inbox, step),
                  loop.succession())
              .run(start);
      log.info("The engine stopped after {} events.", last.cluster().version());
    } catch (InterruptedException _) {
      log.info("The engine was interrupted and stopped.");
    } catch (RuntimeException | Error bug) {
      log.error("Bug in the engine; the process exits. Event: {}", inbox.last, bug);
      exit.accept(BUG);
    }
  }

  private static void perform(Loop loop, Remembering inbox, Step step) {
    loop.watcher().accept(step, Duration.ofNanos(System.nanoTime() - inbox.taken));
    loop.outbox().perform(step);
  }

  /// True if the thread still runs.
  public boolean isAlive() {
    return thread.isAlive();
  }

  /// Lets the current step finish and drops all waiting events.
  @Override
  public void close() {
    mailbox.close();
    try {
      if (!thread.join(Duration.ofSeconds(10))) {
        log.warn("The engine did not finish its step within 10 s; it is interrupted.");
        thread.interrupt();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Remembering implements Inbox {
    private final Inbox inbox;
    private @Nullable Event last;
    private long taken;

    Remembering(Inbox inbox) {
      this.inbox = inbox;
    }

    @Override
    public Optional<Event> next() throws InterruptedException {
      Optional<Event> next = inbox.next();
      last = next.orElse(null);
      taken = System.nanoTime();
      return next;
    }
  }
}

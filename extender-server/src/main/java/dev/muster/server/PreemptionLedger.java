package dev.muster.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.decision.Decision;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.core.state.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Log of all preemption actions as JSON lines: decisions, notices, evictions and reprieves.
///
/// The newest lines are kept in memory. All lines are appended to a [file][LedgerFile] if one is
/// configured; after a restart the newest lines are loaded from it.
///
/// ```
/// {"version":1,"at":"…Z","act":"decided","gang":"ml/prod","enforced":true,"revision":"…","reason":"…","nodes":["n1"],
///  "victims":[{"gang":"ml/sweep","pods":4,"rule":"higher-priority","lostGpuSeconds":7200}]}
/// {"version":1,"at":"…Z","act":"evicted","gang":"ml/sweep","pods":4,"why":"Preempted for ml/prod by …"}
/// ```
///
/// A separate thread writes the file, so decisions do not wait for the disk. A line that cannot be
/// written is reported in the log and does not block the preemption.
public final class PreemptionLedger implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PreemptionLedger.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int VERSION = 1;

  /// Maximum number of acts that are kept in memory.
  private static final int AT_HAND = 1_000;

  /// Maximum number of nodes and victims in the acts that are kept in memory. As many may wait for
  /// the disk. A single act may have more. A victim takes about 490 bytes.
  private static final int PARTS = 50_000;

  /// Most characters of a line in the log.
  private static final int MOST_SHOWN = 200;

  /// Maximum number of lines that wait for the disk.
  private static final int CAPACITY = 10_000;

  private static final Duration GRACE = Duration.ofSeconds(5);

  private final ArrayDeque<ObjectNode> last = new ArrayDeque<>();
  private int parts; // nodes and victims of the last acts
  private final AtomicInteger waitingParts = new AtomicInteger();
  private final @Nullable LedgerFile file;
  private final ExecutorService writer =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(CAPACITY),
          Thread.ofPlatform().daemon().name("muster-ledger").factory());

  private PreemptionLedger(@Nullable LedgerFile file) {
    this.file = file;
  }

  /// Opens a ledger that continues an existing file. Without a file, lines are kept in memory only.
  ///
  /// @throws IOException if the file has other content or cannot be written, or if another process
  ///   writes it
  public static PreemptionLedger open(Optional<Path> file) throws IOException {
    if (file.isEmpty()) {
      return new PreemptionLedger(null);
    }
    List<String> before = LedgerFile.newest(file.get(), AT_HAND);
    PreemptionLedger ledger = new PreemptionLedger(LedgerFile.open(file.get()));
    before.forEach(ledger::remember);
    return ledger;
  }

  /// Keeps a line that was read from the file. A line that a crash truncated is skipped.
  private void remember(String line) {
    try {
      if (JSON.readTree(line) instanceof ObjectNode act) {
        keep(act);
      }
    } catch (JsonProcessingException e) {
      log.warn(
          "Skipped a line of the ledger that is not JSON: {}",
          line.substring(0, Math.min(line.length(), MOST_SHOWN)));
    }
  }

  private synchronized void keep(ObjectNode act) {
    last.addLast(act);
    parts += parts(act);
    while (last.size() > AT_HAND || (parts > PARTS && last.size() > 1)) {
      parts -= parts(last.removeFirst());
    }
  }

  /// Returns the number of nodes and victims of an act.
  private static int parts(ObjectNode act) {
    return act.path("nodes").size() + act.path("victims").size();
  }

  /// Returns the newest actions, oldest first.
  public synchronized List<ObjectNode> last() {
    return List.copyOf(last);
  }

  /// Records the preemption decisions and effects of a step. Called by the engine's thread only.
  public void note(Step step) {
    Instant now = step.after().cluster().now();
    for (Decision decision : step.decisions()) {
      if (decision instanceof Decision.Preempt preempt) {
        write(decided(preempt, now));
      }
    }
    TreeMap<GangId, ObjectNode> evicted = new TreeMap<>();
    for (Effect effect : step.effects()) {
      switch (effect) {
        case Effect.Evict(GangId gang, _, String reason, String why, _) -> {
          if (reason.equals(Effect.PREEMPTED)) {
            ObjectNode act =
                evicted.computeIfAbsent(gang, _ -> act("evicted", gang, now).put("why", why));
            act.put("pods", act.path("pods").asInt() + 1);
          }
        }
        case Effect.Reprieve(GangId gang, GangId by, _) ->
            write(act("spared", gang, now).put("by", by.toString()));
        case Effect.WriteReservation _,
            Effect.StartMember _,
            Effect.ClearReservation _,
            Effect.RecordVictims _,
            Effect.TellVictim _,
            Effect.Report _,
            Effect.Publish _ -> {}
      }
    }
    evicted.values().forEach(this::write);
  }

  private static ObjectNode act(String what, GangId gang, Instant at) {
    return JSON.createObjectNode()
        .put("version", VERSION)
        .put("at", at.toString())
        .put("act", what)
        .put("gang", gang.toString());
  }

  private static ObjectNode decided(Decision.Preempt decision, Instant at) {
    ObjectNode act =
        act("decided", decision.gang(), at)
            .put("enforced", decision.enforced())
            .put("revision", decision.revision())
            .put("reason", decision.why().main().map(ReasonText::token).orElse(""));
    decision.nodes().forEach(node -> act.withArray("nodes").add(node.name()));
    var victims = act.putArray("victims");
    for (Victim victim : decision.victims()) {
      victims
          .addObject()
          .put("gang", victim.gang().toString())
          .put("pods", victim.members().size())
          .put("rule", victim.rule())
          .put("lostGpuSeconds", victim.lostWork());
    }
    return act;
  }

  private void write(ObjectNode act) {
    keep(act);
    if (file != null && !isQueued(file, act)) {
      lost(act, "the disk is too slow");
    }
  }

  /// Puts the act into the queue for the disk; false if the queue is full.
  private boolean isQueued(LedgerFile file, ObjectNode act) {
    if (waitingParts.get() > PARTS) {
      return false;
    }
    try {
      writer.execute(() -> {
        try {
          append(file, act);
        } finally {
          waitingParts.addAndGet(-parts(act));
        }
      });
      waitingParts.addAndGet(parts(act));
      return true;
    } catch (RejectedExecutionException _) {
      return false;
    }
  }

  private static void append(LedgerFile file, ObjectNode act) {
    try {
      file.append(act.toString());
    } catch (IOException e) {
      lost(act, String.valueOf(e.getMessage()));
    }
  }

  private static void lost(ObjectNode act, String why) {
    log.error("Writing to the ledger failed ({}); lost entry: {}", why, act);
  }

  /// Writes the waiting lines, for a few seconds at most.
  @Override
  public void close() {
    writer.shutdown();
    try {
      if (!writer.awaitTermination(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("The ledger was not written completely within {}.", GRACE);
      } else if (file != null) {
        file.close();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.muster.server.http.receive;

import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicBoolean;

/// The limits that all request bodies of a server share.
///
/// @param memory memory of all bodies
/// @param slots large bodies of strangers that are being read
/// @param queue calls that wait for the threads that answer strangers and large bodies
public record Intake(
    BodyMemory memory, ReadingSlots slots, CallQueue queue, AtomicBoolean checked) {
  /// Creates limits that suit the heap.
  public static Intake ofHeap() {
    return new Intake(
        BodyMemory.ofHeap(), new ReadingSlots(), new CallQueue(), new AtomicBoolean());
  }

  /// Looks after slow bodies while bodies wait.
  void watch(Vertx vertx) {
    if (!checked.getAndSet(true)) {
      vertx.setTimer(
          ReadingSlots.SLICE_MILLIS / 5,
          _ -> {
            checked.set(false);
            if (slots.check()) {
              watch(vertx);
            }
          });
    }
  }
}

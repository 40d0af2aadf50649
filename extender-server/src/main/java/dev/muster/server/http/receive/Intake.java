package dev.muster.server.http.receive;

/// The limits that all request bodies of a server share.
///
/// @param memory memory of all bodies
/// @param slots large bodies of strangers that are being read
/// @param queue calls that wait for the threads that answer strangers and large bodies
public record Intake(BodyMemory memory, ReadingSlots slots, CallQueue queue) {
  /// Creates limits that suit the heap.
  public static Intake ofHeap() {
    return new Intake(BodyMemory.ofHeap(), new ReadingSlots(), new CallQueue());
  }
}

package dev.muster.server.http.receive;

/// The limits that all requests of a server share.
///
/// Admission reviews have memory of their own. The API server sends those of all tenants, so shares
/// of addresses do not protect calls, and small reviews, from the large reviews of one tenant.
///
/// @param calls memory of all bodies, except those of reviews
/// @param smallReviews memory of the bodies of reviews up to [#SMALL]
/// @param largeReviews memory of the bodies of other reviews
/// @param known large bodies of known callers without certificate that are being read
/// @param strangers large bodies of strangers that are being read
/// @param queue calls that wait for the threads that answer strangers and large bodies
/// @param unread large answers that are being sent
public record Intake(
    BodyMemory calls,
    BodyMemory smallReviews,
    BodyMemory largeReviews,
    ReadingSlots known,
    ReadingSlots strangers,
    CallQueue queue,
    UnreadAnswers unread) {
  /// The length in bytes up to which a body is read at once and takes turns with short calls.
  public static final int SMALL = 1 << 16;

  /// The head start that a call has over one that is a byte longer. So a call of 1 MiB is overtaken
  /// only by calls that come less than a second later.
  static final long NANOS_PER_BYTE = 1_000;

  /// Creates limits that suit the heap.
  public static Intake ofHeap() {
    return new Intake(
        BodyMemory.ofHeap(8),
        BodyMemory.ofHeap(64),
        BodyMemory.ofHeap(16),
        new ReadingSlots(),
        new ReadingSlots(),
        new CallQueue(),
        UnreadAnswers.ofHeap());
  }

  /// Returns the memory for the body of a review.
  ///
  /// @param length announced length; large without an announcement
  BodyMemory reviews(long length) {
    return length > SMALL ? largeReviews : smallReviews;
  }

  /// Returns the slots for large bodies of the caller.
  ReadingSlots slots(Caller caller) {
    return caller.isKnown() ? known : strangers;
  }
}

package dev.muster.core.cluster;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A placement promised to a gang, counted as used capacity.
///
/// A reservation always ends: the gang is complete, or it is released when its time is over.
///
/// A member's promise ends when the member is bound. The reservation stays, even without promises,
/// until enough members are bound. So a gang that lost a member while it was starting is not
/// forgotten.
///
/// @param gang the owner
/// @param promises promises to members that are not bound yet
/// @param edition number of changes of the plan; it identifies outcomes of writes of older plans
/// @param written progress of the record on the gang's object
/// @param writeAt earliest time of the next write
/// @param releasing whether it is being released: its bound members are evicted, and it ends when
///   they are gone
/// @param ran whether the gang was complete before and only lacks members; if they find no place,
///   the others continue to run, for the time of a repair if they are fewer than its minimum
/// @param since time of the first plan
/// @param until time at which it ends unless the gang is complete; a changed plan gets no more time
/// @param shunned nodes on which a member that the gang does not need was not bound in time
public record Reservation(
    GangId gang,
    SortedTable<MemberId, Promise> promises,
    int edition,
    Written written,
    Instant writeAt,
    boolean releasing,
    boolean ran,
    Instant since,
    Instant until,
    SortedKeys<NodeId> shunned) {
  private static final Duration SOONEST = Duration.ofSeconds(1);
  private static final Duration LATEST = Duration.ofSeconds(15);

  /// The progress of the record on the gang's object.
  ///
  /// No pod is changed before the record exists.
  public enum Written {
    NOT_YET,
    ASKED,
    DONE
  }

  /// Returns a reservation without promises, to be written at once.
  public static Reservation open(GangId gang, Instant now, Instant until) {
    return new Reservation(
        gang,
        SortedTable.empty(),
        0,
        Written.NOT_YET,
        now,
        false,
        false,
        now,
        until,
        SortedKeys.empty());
  }

  /// Returns the time of the next request after the API server refused one now.
  ///
  /// The pause equals the time since the first plan, so that pauses double. It is at least 1 s and
  /// at most 15 s. The server may refuse because it is overloaded.
  public Instant retryAt(Instant now) {
    Duration tried = Duration.between(since, now);
    Duration pause = tried.compareTo(SOONEST) < 0 ? SOONEST : tried;
    return now.plus(pause.compareTo(LATEST) > 0 ? LATEST : pause);
  }

  /// Returns the member's promise, if it may be acted on.
  ///
  /// The record must be written, or must have been written when the start of the pod was requested.
  public Optional<Promise> open(MemberId member) {
    return promises
        .get(member)
        .filter(promise -> written == Written.DONE || promise.stage() != Promise.Stage.KEPT);
  }

  /// Returns the promises that are not among the others.
  ///
  /// Large fractions of GPUs come first, as in the search.
  List<Promise> beyond(SortedTable<MemberId, Promise> others, Gang of) {
    List<Promise> fresh = new ArrayList<>();
    for (Promise promise : promises) {
      if (!promise.isAmong(others)) {
        fresh.add(promise);
      }
    }
    if (fresh.size() > 1) {
      fresh.sort(Comparator.comparingInt(promise -> -milli(promise, of)));
    }
    return fresh;
  }

  private static int milli(Promise promise, Gang of) {
    return of.members().get(promise.member()).orElseThrow().request().gpuMilli();
  }

  /// Returns this reservation for a gang that was complete before.
  public Reservation ofRunning() {
    return new Reservation(
        gang, promises, edition, written, writeAt, releasing, true, since, until, shunned);
  }

  /// Returns this reservation with one promise made or replaced.
  public Reservation with(Promise promise) {
    return with(promises.with(promise.member(), promise));
  }

  /// Returns this reservation without the member's promise.
  public Reservation without(MemberId member) {
    return with(promises.without(member));
  }

  private Reservation with(SortedTable<MemberId, Promise> other) {
    return new Reservation(
        gang, other, edition, written, writeAt, releasing, ran, since, until, shunned);
  }

  /// Returns this reservation with another progress of its record.
  ///
  /// @param at earliest time of the next write
  public Reservation as(Written stage, Instant at) {
    return new Reservation(
        gang, promises, edition, stage, at, releasing, ran, since, until, shunned);
  }

  /// Returns this reservation with a changed plan, to be written at once.
  public Reservation replanned(Instant now) {
    return new Reservation(
        gang, promises, edition + 1, Written.NOT_YET, now, releasing, ran, since, until, shunned);
  }

  /// Returns this reservation, of a gang that was complete before, without promises until a time.
  ///
  /// Until then no promise is made on the nodes promised so far.
  public Reservation restingUntil(Instant again) {
    SortedKeys<NodeId> tried = shunned;
    for (Promise promise : promises) {
      tried = tried.with(promise.node());
    }
    return new Reservation(
        gang, SortedTable.empty(), edition, written, writeAt, false, true, since, again, tried);
  }

  /// True if it has no promises and only remembers nodes that a running gang does not use now.
  public boolean rests() {
    return ran && !releasing && promises.isEmpty();
  }

  /// Returns this reservation being released, without promises.
  ///
  /// @param again time of the next check
  public Reservation releasedUntil(Instant again) {
    return new Reservation(
        gang, SortedTable.empty(), edition, written, writeAt, true, ran, since, again, shunned);
  }

  /// Returns this reservation with another end.
  public Reservation endingAt(Instant end) {
    return new Reservation(
        gang, promises, edition, written, writeAt, releasing, ran, since, end, shunned);
  }

  /// Returns this reservation without promises: its plan is lost as a whole.
  public Reservation unplanned() {
    return with(SortedTable.empty());
  }
}

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

/// A placement promised to a gang. It counts as used, and it always ends: the gang is whole, or it
/// is released when the time is over.
///
/// A member's promise ends when the member is bound; the reservation stays, even without promises,
/// until enough members are bound, so that a gang that lost a member while it was starting is not
/// forgotten.
///
/// @param gang whose it is
/// @param promises what is still unbound
/// @param edition counts the changes of the plan, so that the outcome of writing an old one is told
///   from this
/// @param written how far the record on the gang's object has come
/// @param writeAt not to be written before this instant
/// @param releasing whether it is being given up: its bound members are evicted, and it ends when
///   they are gone
/// @param ran whether the gang ran whole before and only lacks members: if they find no place, its
///   mates run on
/// @param since when the first plan was made
/// @param until when it ends unless the gang is whole by then; a moved plan gets no more time
/// @param shunned nodes that refused a member of this plan, not to be tried again by it
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

  /// How far the record of the reservation on the gang's object has come: no pod is touched before
  /// it is there.
  public enum Written {
    NOT_YET,
    ASKED,
    DONE
  }

  /// A reservation without promises yet, to be written at once.
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

  /// When to ask again for what the API server refused now: after as much time as has passed since
  /// the first plan, so that the pauses double, but at least 1 s and at most 15 s. It may refuse
  /// because it has too much to do.
  public Instant retryAt(Instant now) {
    Duration tried = Duration.between(since, now);
    Duration pause = tried.compareTo(SOONEST) < 0 ? SOONEST : tried;
    return now.plus(pause.compareTo(LATEST) > 0 ? LATEST : pause);
  }

  /// The member's promise, once it may be acted on: the record is written, or was when the pod was
  /// told.
  public Optional<Promise> open(MemberId member) {
    return promises
        .get(member)
        .filter(promise -> written == Written.DONE || promise.stage() != Promise.Stage.KEPT);
  }

  /// The promises that the others do not hold, those of large parts of GPUs first, as in the
  /// search.
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

  /// The same reservation for a gang that ran whole before.
  public Reservation ofRunning() {
    return new Reservation(
        gang, promises, edition, written, writeAt, releasing, true, since, until, shunned);
  }

  /// The same reservation with one promise made or replaced.
  public Reservation with(Promise promise) {
    return with(promises.with(promise.member(), promise));
  }

  /// The same reservation without the member's promise.
  public Reservation without(MemberId member) {
    return with(promises.without(member));
  }

  private Reservation with(SortedTable<MemberId, Promise> other) {
    return new Reservation(
        gang, other, edition, written, writeAt, releasing, ran, since, until, shunned);
  }

  /// The same reservation, its record at another stage; to be written again no sooner than the
  /// instant.
  public Reservation as(Written stage, Instant at) {
    return new Reservation(
        gang, promises, edition, stage, at, releasing, ran, since, until, shunned);
  }

  /// The same reservation with a changed plan, to be written at once.
  public Reservation replanned(Instant now) {
    return new Reservation(
        gang, promises, edition + 1, Written.NOT_YET, now, releasing, ran, since, until, shunned);
  }

  /// The same reservation, never again to use the node.
  public Reservation shunning(NodeId node) {
    return new Reservation(
        gang,
        promises,
        edition,
        written,
        writeAt,
        releasing,
        ran,
        since,
        until,
        shunned.with(node));
  }

  /// The same reservation of a gang that ran whole, without promises: none is made again on the
  /// nodes that it was promised before the instant.
  public Reservation restingUntil(Instant again) {
    SortedKeys<NodeId> tried = shunned;
    for (Promise promise : promises) {
      tried = tried.with(promise.node());
    }
    return new Reservation(
        gang, SortedTable.empty(), edition, written, writeAt, false, true, since, again, tried);
  }

  /// Whether it promises nothing to a gang that runs, and only keeps in mind what was promised in
  /// vain.
  public boolean rests() {
    return ran && !releasing && promises.isEmpty();
  }

  /// The same reservation being given up: without promises, to be looked at again at the instant.
  public Reservation releasedUntil(Instant again) {
    return new Reservation(
        gang, SortedTable.empty(), edition, written, writeAt, true, ran, since, again, shunned);
  }

  /// The same reservation with another end.
  public Reservation endingAt(Instant end) {
    return new Reservation(
        gang, promises, edition, written, writeAt, releasing, ran, since, end, shunned);
  }

  /// The same reservation without any promise: its plan is lost as a whole.
  public Reservation unplanned() {
    return with(SortedTable.empty());
  }
}

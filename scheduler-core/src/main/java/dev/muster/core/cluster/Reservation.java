package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import java.time.Instant;
import java.util.TreeSet;

/// A placement promised to a gang. It counts as used, and it always ends: every member is bound, or the plan
/// is moved, or the gang is released.
///
/// @param gang whose it is
/// @param promises what is still unbound
/// @param written how far the record on the gang's object has come
/// @param writeAt not to be written before this instant
/// @param since when it was decided
/// @param until when it ends unless all is bound by then
/// @param shunned nodes that refused a member of this plan, not to be tried again by it
public record Reservation(
    GangId gang,
    SortedTable<MemberId, Promise> promises,
    Written written,
    Instant writeAt,
    Instant since,
    Instant until,
    TreeSet<NodeId> shunned) {
  /// How far the record of the reservation on the gang's object has come: no pod is touched before it is there.
  public enum Written {
    NOT_YET,
    ASKED,
    DONE
  }

  public Reservation {
    shunned = new TreeSet<>(shunned);
  }

  /// The same reservation with one promise replaced.
  public Reservation with(Promise promise) {
    return new Reservation(
        gang, promises.with(promise.member(), promise), written, writeAt, since, until, shunned);
  }

  Reservation without(MemberId member) {
    return new Reservation(gang, promises.without(member), written, writeAt, since, until, shunned);
  }

  /// The same reservation, its record at another stage; to be written again no sooner than the instant.
  public Reservation as(Written stage, Instant at) {
    return new Reservation(gang, promises, stage, at, since, until, shunned);
  }
}

package dev.muster.core.cluster;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.topology.Topology;
import java.time.Instant;

/// An image while it is being made.
final class Draft {
  final Topology topology;
  long version;
  Instant now;
  boolean synced;
  Domain fabric;
  SortedTable<NodeId, NodeState> nodes;
  SortedTable<GangId, Gang> gangs;
  SortedTable<GangId, Reservation> reservations;
  Seats seats;
  SortedTable<GangId, Hold> holds;
  ExpectedMix mix;
  Books books;

  Draft(Cluster from) {
    topology = from.topology();
    version = from.version();
    now = from.now();
    synced = from.synced();
    fabric = from.fabric();
    nodes = from.nodes();
    gangs = from.gangs();
    reservations = from.reservations();
    seats = from.seats();
    holds = from.holds();
    mix = from.mix();
    books = from.books();
  }

  Cluster image() {
    return new Cluster(
        version,
        now,
        synced,
        topology,
        fabric,
        nodes,
        gangs,
        reservations,
        seats,
        holds,
        mix,
        books);
  }
}

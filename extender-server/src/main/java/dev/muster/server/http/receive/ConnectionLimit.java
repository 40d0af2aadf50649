package dev.muster.server.http.receive;

import io.vertx.core.http.HttpConnection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Predicate;

/// Limits the number of open connections.
///
/// Any client that reaches the port may open many. So a new connection closes one of the addresses
/// with most connections: a stranger's that was idle or sending for the longest time. If all of
/// them wait for answers, it closes the one that has waited longest: kube-scheduler must get a new
/// connection then, too. A known caller that waits for an answer is never closed for another; one
/// that does not read its answer is. With a certificate, a caller is closed only when no stranger
/// is left. Where each address has one connection, none has too many: strangers that wait for no
/// answer are closed first then.
public final class ConnectionLimit {
  /// One in this many of the connections is new, and has the time to send its first request.
  private static final int NEW = 10;

  private final int most;
  private final SequencedMap<HttpConnection, Caller> open =
      new LinkedHashMap<>(); // most recently used last
  private final Map<String, Integer> connections = new HashMap<>(); // number by address

  /// @param most maximum number of open connections
  public ConnectionLimit(int most) {
    this.most = most;
  }

  /// Registers a new connection, and closes another one if there are too many. It closes the new
  /// one if all others are known callers that wait for answers.
  public void opened(HttpConnection connection) {
    connection.closeHandler(_ -> closed(connection));
    added(connection).ifPresent(HttpConnection::close);
  }

  private synchronized Optional<HttpConnection> added(HttpConnection connection) {
    Caller added = Caller.of(connection);
    open.putLast(connection, added);
    connections.merge(added.address(), 1, Integer::sum);
    if (open.size() <= most) {
      return Optional.empty();
    }
    int crowd = Math.max(2, Collections.max(connections.values()));
    Predicate<Caller> crowded = caller -> connectionsOf(caller) == crowd && !caller.isCertified();
    Predicate<Caller> stranger = caller -> !caller.isKnown();
    Predicate<Caller> unserved = caller -> !caller.isServed();
    HttpConnection least =
        first(most - most / NEW, crowded.and(stranger).and(unserved))
            .or(() -> first(most, crowded.and(stranger)))
            .or(() -> first(most, crowded.and(unserved)))
            .or(() -> first(most, stranger.and(unserved)))
            .or(() -> first(most, stranger))
            .or(() -> first(most, unserved))
            .orElse(connection);
    closed(least);
    return Optional.of(least);
  }

  private int connectionsOf(Caller caller) {
    return connections.getOrDefault(caller.address(), 0);
  }

  /// Returns the least recently used connection that meets the condition.
  ///
  /// @param oldest number of connections among which it is; the others were used more recently
  private Optional<HttpConnection> first(int oldest, Predicate<Caller> condition) {
    return open.entrySet().stream()
        .limit(oldest)
        .filter(one -> condition.test(one.getValue()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /// Records a request on the connection, and returns the caller.
  public synchronized Caller asked(HttpConnection connection) {
    Caller caller = open.get(connection);
    if (caller == null) {
      return Caller.of(connection); // it is being closed
    }
    open.putLast(connection, caller);
    return caller;
  }

  private synchronized void closed(HttpConnection connection) {
    Caller gone = open.remove(connection);
    if (gone != null) {
      connections.computeIfPresent(gone.address(), (_, open) -> open > 1 ? open - 1 : null);
    }
  }
}

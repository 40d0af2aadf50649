package dev.muster.server.http;

import io.vertx.core.http.HttpConnection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;

/// Limits the number of open connections. Any client that reaches the port may open many. So the
/// connection that was idle longest is closed, not the newest one refused. kube-scheduler and the
/// API server can always connect.
final class ConnectionLimit {
  private final int most;
  private final SequencedSet<HttpConnection> open =
      new LinkedHashSet<>(); // most recently used last

  /// @param most maximum number of open connections
  ConnectionLimit(int most) {
    this.most = most;
  }

  /// Registers a new connection, and closes the connection that was idle longest if there are too
  /// many.
  void opened(HttpConnection connection) {
    connection.closeHandler(_ -> closed(connection));
    added(connection).ifPresent(HttpConnection::close);
  }

  private synchronized Optional<HttpConnection> added(HttpConnection connection) {
    open.addLast(connection);
    return open.size() > most ? Optional.of(open.removeFirst()) : Optional.empty();
  }

  /// Records a request on the connection.
  synchronized void asked(HttpConnection connection) {
    if (open.contains(connection)) {
      open.addLast(connection);
    }
  }

  private synchronized void closed(HttpConnection connection) {
    open.remove(connection);
  }
}

package dev.muster.server.http;

import io.vertx.core.http.HttpConnection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedSet;

/// The open connections, so many at most. Anybody who reaches the port may open as many as he
/// likes, so it is not the newest that is turned away but the one on which nobody has asked for the
/// longest time: kube-scheduler and the API server always get in.
final class ConnectionLimit {
  private final int most;
  private final SequencedSet<HttpConnection> open = new LinkedHashSet<>(); // last asked on, last

  /// @param most so many stay open
  ConnectionLimit(int most) {
    this.most = most;
  }

  /// Takes a new one; may close another for it.
  void opened(HttpConnection connection) {
    connection.closeHandler(_ -> closed(connection));
    added(connection).ifPresent(HttpConnection::close);
  }

  private synchronized Optional<HttpConnection> added(HttpConnection connection) {
    open.addLast(connection);
    return open.size() > most ? Optional.of(open.removeFirst()) : Optional.empty();
  }

  /// Somebody asks something on it.
  synchronized void asked(HttpConnection connection) {
    if (open.contains(connection)) {
      open.addLast(connection);
    }
  }

  private synchronized void closed(HttpConnection connection) {
    open.remove(connection);
  }
}

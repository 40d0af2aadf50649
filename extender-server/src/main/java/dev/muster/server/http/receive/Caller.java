package dev.muster.server.http.receive;

import io.netty.channel.Channel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/// One connection, with what is known about its owner.
///
/// A caller is known if it has shown a certificate, or once it has asked the extender about a pod
/// that exists and that Muster places, as kube-scheduler does. Known callers come first when memory
/// or connections are short.
///
/// A question is no proof: a pod can ask about itself, if it reaches the port. With
/// `server.tls.clientAuthority`, only callers with a certificate can ask. Without, a known caller
/// is limited too. Its large bodies are read and answered in turn, its small ones on the event loop
/// as they come, and it is closed for a new connection when no stranger is left to close. The API
/// server asks about pods that do not exist so far, and stays a stranger without certificate.
public final class Caller {
  private static final String GONE = "gone";

  private final String address;
  private final boolean certified;
  private volatile boolean known;
  private volatile int received; // requests received as a whole and without an answer so far
  private volatile int arriving; // requests of which a part is missing

  /// Creates the owner of a connection without certificate.
  Caller(String address) {
    this(address, false);
  }

  /// @param address address without port from which the connection comes
  /// @param certified true if the caller has shown a certificate of the configured authority
  Caller(String address, boolean certified) {
    this.address = address;
    this.certified = certified;
    this.known = certified;
  }

  /// Returns the owner of a connection whose handshake is complete. A connection has the
  /// certificate of its owner only if it was verified.
  static Caller of(HttpConnection connection) {
    String address = address(connection);
    try {
      SSLSession session = connection.sslSession();
      return new Caller(address, session != null && session.getPeerCertificates().length > 0);
    } catch (SSLPeerUnverifiedException _) {
      return new Caller(address, false);
    }
  }

  /// Returns the address without port from which a connection comes.
  static String address(HttpConnection connection) {
    SocketAddress remote = connection.remoteAddress(); // null once the connection is closed
    return remote == null ? GONE : remote.hostAddress();
  }

  /// Returns the address without port from which a connection comes whose handshake is not
  /// complete.
  static String address(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress remote
            && remote.getAddress() != null
        ? remote.getAddress().getHostAddress()
        : GONE;
  }

  /// Returns the address without port from which the connection comes. Callers behind a proxy share
  /// one.
  public String address() {
    return address;
  }

  /// True if the caller has shown a certificate of the configured authority.
  public boolean isCertified() {
    return certified;
  }

  /// Records a question about a pod that exists.
  public void recognize() {
    known = true;
  }

  /// True if the caller has asked about a pod that exists.
  public boolean isKnown() {
    return known;
  }

  /// True if the caller waits for an answer, or is a known caller with a call under way.
  boolean isServed() {
    return received > 0 || (known && arriving > 0);
  }

  /// A request under way, until its answer begins or the caller leaves. A caller that does not read
  /// its answer no longer waits for it.
  // A connection has one event loop, so the counters have one writer.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  final class Request {
    private boolean whole;
    private boolean over;

    private Request() {
      arriving++;
    }

    /// Records that the whole request was received.
    void receive() {
      whole = true;
      arriving--;
      received++;
    }

    private void end() {
      if (!over) {
        over = true;
        if (whole) {
          received--;
        } else {
          arriving--;
        }
      }
    }
  }

  Request begin(RoutingContext ctx) {
    Request request = new Request();
    ctx.addHeadersEndHandler(_ -> request.end());
    ctx.addEndHandler(_ -> request.end());
    return request;
  }

  /// Counts a request without body until its answer begins.
  public void ask(RoutingContext ctx) {
    begin(ctx).receive();
  }
}

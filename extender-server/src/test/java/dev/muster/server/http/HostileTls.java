package dev.muster.server.http;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// The attacks of [HostileConnections] on the port with TLS.
final class HostileTls {
  /// The TLS side of the attackers, without certificate.
  static volatile @Nullable SSLContext context;

  private HostileTls() {}

  static void handshake(Socket socket, int number) throws IOException {
    try {
      SSLContext untrusting = SSLContext.getInstance("TLS");
      TrustManagerFactory none = TrustManagerFactory.getInstance("PKIX");
      none.init((KeyStore) null);
      untrusting.init(null, none.getTrustManagers(), null);
      SSLSocket secure =
          (SSLSocket)
              untrusting.getSocketFactory().createSocket(socket, "x", socket.getPort(), false);
      secure.startHandshake(); // fails at the certificate, when the server has done its work
    } catch (GeneralSecurityException impossible) {
      throw new IOException(impossible);
    }
  }

  static void resetHandshake(Socket first, int number) throws IOException, InterruptedException {
    try {
      SSLEngine client = SSLContext.getDefault().createSSLEngine();
      client.setUseClientMode(true);
      ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
      client.wrap(ByteBuffer.allocate(0), hello);
      HostileConnections.resets(
          first.getPort(), number, Arrays.copyOf(hello.array(), hello.position()));
    } catch (GeneralSecurityException impossible) {
      throw new IOException(impossible);
    }
  }

  /// Sends a body in records of one byte, many in each packet.
  static void records(Socket first, int number) throws IOException {
    try (HeldSocket held = HostileConnections.connected(new HeldSocket(), first.getPort());
        SSLSocket secure = secured(held, "http/1.1")) {
      HostileConnections.write(
          secure, HostileRequests.BIG_HEAD.formatted(15 * HostileCallersBench.MIB));
      held.holds = true;
      while (true) {
        secure.getOutputStream().write(' ');
      }
    }
  }

  /// Asks for a new key with each record, many in each packet.
  static void newKeys(Socket first, int number) throws IOException {
    try (HeldSocket held = HostileConnections.connected(new HeldSocket(), first.getPort());
        SSLSocket secure = secured(held, "http/1.1")) {
      held.holds = true;
      while (true) {
        secure.startHandshake();
      }
    }
  }

  /// Sends requests of HTTP/2 and reads no answer.
  static void http2(Socket plain, int number) throws IOException {
    try (SSLSocket secure = secured(plain, "h2")) {
      secure.getOutputStream().write(HostileRequests.http2Begin());
      for (int stream = 1; true; stream += 2 * HostileRequests.HTTP2_REQUESTS) {
        secure.getOutputStream().write(HostileRequests.http2(stream));
      }
    }
  }

  private static SSLSocket secured(Socket plain, String protocol) throws IOException {
    SSLContext strangers = context;
    if (strangers == null) {
      throw new IllegalStateException("no keys");
    }
    SSLSocket secure =
        (SSLSocket)
            strangers.getSocketFactory().createSocket(plain, "127.0.0.1", plain.getPort(), true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return secure;
  }

  /// A socket that can send large packets, however small the records are.
  private static final class HeldSocket extends Socket {
    volatile boolean holds;

    @Override
    public OutputStream getOutputStream() throws IOException {
      return new BufferedOutputStream(super.getOutputStream(), 1 << 16) {
        @Override
        public synchronized void flush() throws IOException {
          if (!holds) {
            super.flush();
          }
        }
      };
    }
  }
}

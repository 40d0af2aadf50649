package dev.muster.deploy.e2e;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A port that forwards to another one over a line that can be cut or fall silent. A silent line
/// models a machine that lost its power and closes no connection.
///
/// It can also be a bad proxy: it drops the header `Upgrade`, or ends lines that are silent, or new
/// ones at their first bytes.
final class Relay implements Closeable {
  private static final int BUFFER = 1 << 16;
  private static final String UPGRADE = "\r\nUpgrade: ";

  private final ServerSocket port;
  private final Far far;
  private final Set<Line> lines = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;
  private volatile boolean muted;
  private volatile boolean handshakesEnd;
  private volatile Duration patience = Duration.ofDays(1);

  /// One connection.
  private static final class Line {
    private final Socket near;
    private final Socket far;
    private volatile boolean silent;
    private volatile long carriedAt = System.nanoTime();

    Line(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }
  }

  /// Opens a connection to the other side.
  private interface Far {
    Socket open() throws IOException;
  }

  private Relay(ServerSocket port, Far far) {
    this.port = port;
    this.far = far;
  }

  /// From any free port.
  static Relay to(int target) throws IOException {
    return between(0, target);
  }

  /// From any free port to the port that each new connection is told.
  static Relay to(IntSupplier target) throws IOException {
    return over(0, () -> new Socket(InetAddress.getLoopbackAddress(), target.getAsInt()));
  }

  /// From a port that is free.
  static Relay between(int from, int target) throws IOException {
    return over(from, () -> new Socket(InetAddress.getLoopbackAddress(), target));
  }

  /// From any free port without TLS to one with TLS, whose certificate is in the file. It reads the
  /// requests, and drops the header `Upgrade` of each.
  static Relay withoutUpgrade(int target, Path certificate) throws IOException {
    try (InputStream pem = Files.newInputStream(certificate)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null);
      trusted.setCertificateEntry(
          "api", CertificateFactory.getInstance("X.509").generateCertificate(pem));
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return over(
          0, () -> tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), target));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Relay over(int from, Far far) throws IOException {
    var relay = new Relay(new ServerSocket(from, 50, InetAddress.getLoopbackAddress()), far);
    Thread.ofVirtual().name("relay").start(relay::accept);
    Thread.ofVirtual().name("relay-silence").start(relay::endSilent);
    return relay;
  }

  int port() {
    return port.getLocalPort();
  }

  /// The connections that stand carry nothing any more, in both directions; new ones do.
  void silence() {
    lines.forEach(line -> line.silent = true);
  }

  /// All connections carry nothing any more, nor do new ones until [#mend].
  void mute() {
    muted = true;
    silence();
  }

  /// From now on closes connections that carry nothing for this time, until [#mend].
  void endSilentAfter(Duration time) {
    patience = time;
  }

  /// Closes all connections, and new ones at their first bytes until [#mend].
  void endHandshakes() {
    handshakesEnd = true;
    hangUpAll();
  }

  /// Closes all connections; new ones are served.
  void hangUpAll() {
    lines.forEach(Relay::hangUp);
  }

  private void endSilent() {
    while (!port.isClosed()) {
      long limit = patience.toNanos();
      for (Line line : lines) {
        if (System.nanoTime() - line.carriedAt > limit) {
          hangUp(line);
        }
      }
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  /// Closes all connections, and new ones at once.
  void cut() {
    cut = true;
    lines.forEach(Relay::hangUp);
  }

  /// New connections are served again.
  void mend() {
    cut = false;
    muted = false;
    handshakesEnd = false;
    patience = Duration.ofDays(1);
  }

  private void accept() {
    while (!port.isClosed()) {
      try {
        Socket near = port.accept();
        if (cut) {
          near.close();
        } else {
          connect(near);
        }
      } catch (IOException _) {
        // The caller left, the other side is not there, or the port was closed.
      }
    }
  }

  private void connect(Socket near) throws IOException {
    var line = new Line(near, far.open());
    line.silent = muted;
    near.setTcpNoDelay(true);
    line.far.setTcpNoDelay(true);
    lines.add(line);
    Thread.ofVirtual().start(() -> there(line));
    Thread.ofVirtual().start(() -> back(line));
  }

  private void there(Line line) {
    if (handshakesEnd) {
      awaitFirst(line);
    } else {
      forward(line);
    }
  }

  private void awaitFirst(Line line) {
    try {
      line.near.getInputStream().read();
    } catch (IOException _) {
      // It hung up by itself.
    }
    hangUp(line);
    lines.remove(line);
  }

  private void forward(Line line) {
    carry(line, line.near, line.far);
    hangUp(line);
    lines.remove(line);
  }

  private static void back(Line line) {
    carry(line, line.far, line.near);
    if (!line.silent) { // else the near side hears nothing of this either
      hangUp(line);
    }
  }

  private static void carry(Line line, Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!line.silent) {
          line.carriedAt = System.nanoTime();
          out.write(from.equals(line.near) ? withoutUpgrade(buffer, read) : buffer, 0, read);
          out.flush();
        }
      }
    } catch (IOException _) {
      // One side hung up.
    }
  }

  /// Renames the header in a request that is readable; encrypted bytes do not contain it.
  private static byte[] withoutUpgrade(byte[] buffer, int length) {
    String text = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
    return text.contains(UPGRADE)
        ? text.replace(UPGRADE, "\r\nDropped: ").getBytes(StandardCharsets.ISO_8859_1)
        : buffer;
  }

  private static void hangUp(Line line) {
    try (line.near;
        line.far) {
      // Closing is all.
    } catch (IOException _) {
      // It was closed already.
    }
  }

  @Override
  public void close() throws IOException {
    port.close();
    lines.forEach(Relay::hangUp);
  }
}

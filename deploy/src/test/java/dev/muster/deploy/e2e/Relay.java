package dev.muster.deploy.e2e;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A port that forwards to another one over a line that can be cut or fall silent. A silent line
/// models a machine that lost its power and closes no connection.
final class Relay implements Closeable {
  private static final int BUFFER = 1 << 16;

  private final ServerSocket port;
  private final int target;
  private final Set<Line> lines = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  /// One connection.
  private static final class Line {
    private final Socket near;
    private final Socket far;
    private volatile boolean silent;

    Line(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }
  }

  private Relay(ServerSocket port, int target) {
    this.port = port;
    this.target = target;
  }

  /// From any free port.
  static Relay to(int target) throws IOException {
    return between(0, target);
  }

  /// From a port that is free.
  static Relay between(int from, int target) throws IOException {
    var relay = new Relay(new ServerSocket(from, 50, InetAddress.getLoopbackAddress()), target);
    Thread.ofVirtual().name("relay").start(relay::accept);
    return relay;
  }

  int port() {
    return port.getLocalPort();
  }

  /// The connections that stand carry nothing any more, in both directions; new ones do.
  void silence() {
    lines.forEach(line -> line.silent = true);
  }

  /// Closes all connections, and new ones at once.
  void cut() {
    cut = true;
    lines.forEach(Relay::hangUp);
  }

  /// New connections are served again.
  void mend() {
    cut = false;
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
    var line = new Line(near, new Socket(InetAddress.getLoopbackAddress(), target));
    near.setTcpNoDelay(true);
    line.far.setTcpNoDelay(true);
    lines.add(line);
    Thread.ofVirtual().start(() -> there(line));
    Thread.ofVirtual().start(() -> back(line));
  }

  private void there(Line line) {
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
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException _) {
      // One side hung up.
    }
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

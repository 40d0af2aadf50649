package dev.muster.deploy.e2e;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The pod network of a control plane on loopback: an HTTP CONNECT proxy of the API server, at a
/// Unix socket.
///
/// The API server proxies to no address on loopback. So Services have an invented address, and
/// every connection goes to the port of this machine that it asks for.
final class ConnectProxy implements Closeable {
  private final ServerSocketChannel socket;

  private ConnectProxy(ServerSocketChannel socket) {
    this.socket = socket;
  }

  static ConnectProxy create() {
    try {
      return new ConnectProxy(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Starts the proxy, and returns the flag by which the API server uses it.
  ///
  /// @param folder where the socket and the configuration are
  String start(Path folder) {
    Path place = folder.resolve("egress.sock");
    Path file = folder.resolve("egress.yaml");
    try {
      socket.bind(UnixDomainSocketAddress.of(place));
      Files.writeString(
          file,
          """
          apiVersion: apiserver.k8s.io/v1beta1
          kind: EgressSelectorConfiguration
          egressSelections:
            - name: cluster
              connection:
                proxyProtocol: HTTPConnect
                transport: {uds: {udsName: "%s"}}
          """
              .formatted(place));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().name("connect-proxy").start(this::accept);
    return "--egress-selector-config-file=" + file;
  }

  private void accept() {
    while (socket.isOpen()) {
      try {
        SocketChannel near = socket.accept();
        Thread.ofPlatform().daemon().start(() -> serve(near));
      } catch (IOException _) {
        // The socket was closed.
      }
    }
  }

  private static void serve(SocketChannel near) {
    try (near;
        InputStream in = Channels.newInputStream(near);
        OutputStream out = Channels.newOutputStream(near);
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target(in))) {
      out.write("HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      Thread back = Thread.ofPlatform().daemon().start(() -> copy(in(far), out, near));
      copy(in, far.getOutputStream(), far);
      back.join();
    } catch (IOException _) {
      // One side left.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static InputStream in(Socket socket) {
    try {
      return socket.getInputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads `CONNECT HOST:PORT HTTP/1.1` with its headers, and returns the port.
  private static int target(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("The API server left.");
      }
      head.append((char) next);
    }
    String address = head.toString().split(" ", 3)[1];
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /// Copies until one side leaves, and then closes the other side.
  private static void copy(InputStream in, OutputStream out, Closeable other) {
    try (other) {
      in.transferTo(out);
    } catch (IOException _) {
      // One side left.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

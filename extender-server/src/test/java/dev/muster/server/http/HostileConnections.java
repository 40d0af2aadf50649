package dev.muster.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// Hostile connections attack a port until their process is killed.
///
/// They have a process of their own, of lowest priority: real attackers do not use the processor of
/// the server.
final class HostileConnections {
  /// The TLS side of [#open]; null: plain connections.
  static volatile @Nullable SSLContext tls;

  /// Bytes that the kernel keeps for the client. Attackers on the machine of the server would else
  /// use up the memory of its kernel for TCP, and packets of others would be lost.
  private static final int BUFFER = 1 << 16;

  /// The address of the client.
  static volatile String from = "127.0.0.1";

  private HostileConnections() {}

  /// What a hostile connection does. It returns when it wants a new connection.
  @FunctionalInterface
  private interface Attack {
    void on(Socket socket, int number) throws IOException, InterruptedException;
  }

  /// The kinds of attack.
  enum Kind {
    NONE("none", (_, _) -> Thread.sleep(HostileCallersBench.LIMIT)),
    IDLE("idle connections", (socket, _) -> waits(socket)),
    HEADS("heads that announce 1 MB", begun(1_000_000, "")),
    SLOW_HEADS("heads, byte by byte", HostileConnections::slowHead),
    SLOW_BODIES("bodies, byte by byte", HostileConnections::slowBody),
    HALF_BODIES("bodies of 15 MB, never ended", HostileConnections::halfBody),
    CHURN("a connection for each probe", HostileConnections::churn),
    RESET("connections that leave at once", HostileConnections::reset),
    PIPELINED(
        "pipelined, never read",
        poured(() -> HostileRequests.PAGE.repeat(1_000).getBytes(StandardCharsets.US_ASCII))),
    GARBAGE("random bytes, half closed", HostileConnections::garbage),
    CHUNKS("chunks of one byte", chunked("")),
    LATE_CHUNKS(
        "such chunks, after 65,537 bytes", chunked("10001\r\n" + " ".repeat(65_537) + "\r\n")),
    REVIEWS("reviews of 1 MB", repeated(HostileRequests::hostileReview)),
    NESTED(
        "nested JSON of 1 MB",
        repeated(
            () -> HostileRequests.post("/scheduler/filter", "[".repeat(HostileCallersBench.MIB)))),
    LARGE("valid calls of 1 MB", repeated(() -> HostileRequests.bigCall("unknown"))),
    KNOWN("calls of 1 MB for a pod of Muster", repeated(() -> HostileRequests.bigCall("w1"))),
    KNOWN_UNREAD("such calls, answers never read", poured(() -> HostileRequests.bigCall("w1"))),
    LEFT("reviews of 1 MB, then a close", left(HostileRequests::hostileReview)),
    ANNOUNCED("bodies of 65,537 bytes, one sent", begun(65_537, "{")),
    UNREAD("pages of 2 MB, never read", HostileConnections::unread),
    METRICS(
        "metrics, then a close",
        left(() -> HostileRequests.METRICS.getBytes(StandardCharsets.US_ASCII))),
    METRICS_UNREAD(
        "metrics, never read",
        poured(() -> HostileRequests.METRICS.repeat(300).getBytes(StandardCharsets.US_ASCII))),
    WRONG_TYPE("bodies of another type", HostileConnections::wrongType),
    UNKNOWN(
        "calls about unknown pods",
        repeated(() ->
            HostileRequests.post("/scheduler/filter", HttpFrontScene.args("none", "\"gpu-1\"")))),
    SHORT(
        "short requests, never read",
        poured(() -> HostileRequests.SHORT.repeat(2_000).getBytes(StandardCharsets.US_ASCII))),
    RECORDS("TLS records of one byte", true, HostileTls::records),
    NEW_KEYS("new keys without end", true, HostileTls::newKeys),
    HTTP2("requests of HTTP/2, never read", true, HostileTls::http2),
    SILENT_TLS("silent on the TLS port", true, (socket, _) -> waits(socket)),
    HANDSHAKES("TLS handshakes", true, HostileTls::handshake),
    RESET_HANDSHAKES("ClientHello, then a reset", true, HostileTls::resetHandshake);

    final String title;
    final boolean tls;

    @SuppressWarnings("ImmutableEnumChecker") // a function
    private final Attack attack;

    Kind(String title, Attack attack) {
      this(title, false, attack);
    }

    /// @param tls true for an attack on the port with TLS
    Kind(String title, boolean tls, Attack attack) {
      this.title = title;
      this.tls = tls;
      this.attack = attack;
    }
  }

  /// Attacks until killed.
  ///
  /// @param args kind, port, number and address of the connections, the folder of [TestKeys], and
  ///   `true` to attack through TLS
  public static void main(String[] args) throws Exception {
    from = args[3];
    HostileTls.context = new TestKeys(Path.of(args[4])).context("signer");
    if (Boolean.parseBoolean(args[5])) {
      tls = HostileTls.context;
    }
    Kind kind = Kind.valueOf(args[0]);
    int port = Integer.parseInt(args[1]);
    for (int i = 0; i < Integer.parseInt(args[2]); i++) {
      int number = i;
      Thread.startVirtualThread(() -> attack(port, kind, number));
    }
    Thread.sleep(HostileCallersBench.LIMIT);
  }

  private static void attack(int port, Kind kind, int number) {
    while (!Thread.currentThread().isInterrupted()) {
      try (Socket socket = kind.tls ? plain(port) : open(port)) {
        socket.setSendBufferSize(BUFFER);
        socket.setReceiveBufferSize(BUFFER);
        kind.attack.on(socket, number);
      } catch (IOException _) { // closed by the server: it comes again
        pause(10);
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  static Socket open(int port) throws IOException {
    Socket plain = plain(port);
    SSLContext context = tls;
    return context == null
        ? plain
        : context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
  }

  static Socket plain(int port) throws IOException {
    return connected(new Socket(), port);
  }

  static <T extends Socket> T connected(T socket, int port) throws IOException {
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
    socket.setSoTimeout(10_000);
    socket.setTcpNoDelay(true);
    return socket;
  }

  static String ask(Socket socket, byte[] call) throws IOException {
    socket.getOutputStream().write(call);
    byte[] answer = new byte[65_536];
    int length = socket.getInputStream().read(answer);
    if (length < 0) {
      throw new IOException("closed");
    }
    return new String(answer, 0, length, StandardCharsets.US_ASCII);
  }

  static void waits(Socket socket) throws IOException {
    while (true) {
      try {
        if (socket.getInputStream().read() < 0) {
          throw new IOException("closed");
        }
      } catch (SocketTimeoutException _) {
        // it goes on waiting
      }
    }
  }

  /// Announces a body and sends the begin of it.
  private static Attack begun(int announced, String begin) {
    return (socket, _) -> {
      write(socket, HostileRequests.BIG_HEAD.formatted(announced) + begin);
      waits(socket);
    };
  }

  static void slowHead(Socket socket, int number) throws IOException, InterruptedException {
    write(socket, "POST /scheduler/filter HTTP/1.1\r\n");
    while (true) {
      write(socket, "X");
      Thread.sleep(100);
    }
  }

  static void slowBody(Socket socket, int number) throws IOException, InterruptedException {
    write(socket, HostileRequests.BIG_HEAD.formatted(1_000_000));
    while (true) {
      write(socket, "{");
      Thread.sleep(100);
    }
  }

  static void halfBody(Socket socket, int number) throws IOException {
    write(socket, HostileRequests.BIG_HEAD.formatted(15 * HostileCallersBench.MIB));
    byte[] part = new byte[65_536];
    Arrays.fill(part, (byte) ' ');
    OutputStream out = socket.getOutputStream();
    for (int sent = 0; sent < 14 * HostileCallersBench.MIB; sent += part.length) {
      out.write(part);
    }
    waits(socket);
  }

  static void churn(Socket first, int number) throws IOException, InterruptedException {
    if (number >= 10) {
      Thread.sleep(HostileCallersBench.LIMIT); // ten threads make as many connections as all would
    }
    List<Socket> left = new ArrayList<>();
    byte[] call = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    try {
      while (true) {
        Socket socket = open(first.getPort());
        left.add(socket);
        ask(socket, call);
        if (left.size() > 300) {
          left.removeFirst().close();
        }
      }
    } finally {
      for (Socket socket : left) {
        socket.close();
      }
    }
  }

  static void reset(Socket first, int number) throws IOException, InterruptedException {
    resets(first.getPort(), number, new byte[0]);
  }

  /// Opens one connection after the other, sends the bytes, and leaves without the usual end.
  static void resets(int port, int number, byte[] bytes) throws IOException, InterruptedException {
    if (number >= 10) {
      Thread.sleep(HostileCallersBench.LIMIT); // ten threads make as many connections as all would
    }
    while (true) {
      try (Socket socket = plain(port)) {
        socket.getOutputStream().write(bytes);
        socket.setSoLinger(true, 0);
      }
    }
  }

  static void garbage(Socket first, int number) throws IOException {
    Random random = new Random(number);
    byte[] bytes = new byte[10_000];
    while (true) {
      random.nextBytes(bytes);
      try (Socket socket = open(first.getPort())) {
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      }
    }
  }

  /// Sends chunks of one byte after the begin of a body.
  private static Attack chunked(String begin) {
    return (socket, _) -> {
      write(socket, HostileRequests.CHUNKED_HEAD + begin);
      byte[] many = "1\r\n \r\n".repeat(5_000).getBytes(StandardCharsets.US_ASCII);
      while (true) {
        socket.getOutputStream().write(many);
      }
    };
  }

  private static Attack repeated(Supplier<byte[]> made) {
    Supplier<byte[]> call = once(made);
    return (socket, _) -> {
      while (true) {
        ask(socket, call.get());
      }
    };
  }

  /// One array for all connections.
  private static Supplier<byte[]> once(Supplier<byte[]> made) {
    AtomicReference<byte[]> call = new AtomicReference<>(new byte[0]);
    return () -> call.updateAndGet(bytes -> bytes.length == 0 ? made.get() : bytes);
  }

  /// Sends calls and reads no answer.
  private static Attack poured(Supplier<byte[]> made) {
    Supplier<byte[]> call = once(made);
    return (socket, _) -> {
      while (true) {
        socket.getOutputStream().write(call.get());
      }
    };
  }

  private static Attack left(Supplier<byte[]> made) {
    Supplier<byte[]> call = once(made);
    return (socket, _) -> socket.getOutputStream().write(call.get());
  }

  static void unread(Socket socket, int number) throws IOException, InterruptedException {
    write(socket, HostileRequests.PAGE);
    Thread.sleep(1_000);
  }

  static void wrongType(Socket socket, int number) throws IOException {
    write(
        socket,
        "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 1000000000000\r\n\r\n");
    byte[] part = new byte[65_536];
    while (true) {
      socket.getOutputStream().write(part);
    }
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }
}

package dev.muster.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
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

  private static final String PAGE = "GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\n\r\n";

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
    PIPELINED(
        "pipelined, never read",
        poured(() -> PAGE.repeat(1_000).getBytes(StandardCharsets.US_ASCII))),
    GARBAGE("random bytes, half closed", HostileConnections::garbage),
    CHUNKS("chunks without end", HostileConnections::chunks),
    REVIEWS("reviews of 1 MB", repeated(HostileConnections::hostileReview)),
    NESTED(
        "nested JSON of 1 MB",
        repeated(() -> post("/scheduler/filter", "[".repeat(HostileCallersBench.MIB)))),
    LARGE("valid calls of 1 MB", repeated(() -> bigCall("unknown"))),
    KNOWN("calls of 1 MB for a pod of Muster", repeated(() -> bigCall("w1"))),
    KNOWN_UNREAD("such calls, answers never read", poured(() -> bigCall("w1"))),
    LEFT("reviews of 1 MB, then a close", left(HostileConnections::hostileReview)),
    ANNOUNCED("bodies of 65,537 bytes, one sent", begun(65_537, "{")),
    UNREAD("pages of 2 MB, never read", HostileConnections::unread),
    WRONG_TYPE("bodies of another type", HostileConnections::wrongType),
    UNKNOWN(
        "calls about unknown pods",
        repeated(() -> post("/scheduler/filter", HttpFrontScene.args("none", "\"gpu-1\"")))),
    SILENT_TLS("silent on the TLS port", true, (socket, _) -> waits(socket)),
    HANDSHAKES("TLS handshakes", true, HostileConnections::handshake);

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
  /// @param args kind, port, number and address of the connections, and the folder of [TestKeys]
  ///   for attacks through TLS
  public static void main(String[] args) throws Exception {
    from = args[3];
    if (!args[4].isEmpty()) {
      tls = new TestKeys(Path.of(args[4])).context("signer");
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
    Socket socket = new Socket();
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

  static byte[] post(String path, String body) {
    return ("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, body.length())
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] bigCall(String pod) {
    String names =
        IntStream.range(0, 60_000)
            .mapToObj(i -> "\"gpu-node-%05d\"".formatted(i))
            .collect(Collectors.joining(","));
    return post("/scheduler/filter", HttpFrontScene.args(pod, names));
  }

  /// A debug container is added to a pod that has many. The review has almost as many tokens as is
  /// allowed.
  static byte[] hostileReview() {
    String after = String.join(",", Collections.nCopies(20_000, "{\"name\":\"a\"}"));
    String before = "{},".repeat(9_900) + "\"%s\"".formatted("a".repeat(700_000));
    return post(
        "/webhook/hide-gpus/pods",
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"u\",\"operation\":\"UPDATE\",\"subResource\":\"ephemeralcontainers\",\"namespace\":\"ml\",\"object\":{\"spec\":{\"ephemeralContainers\":[%s]}},\"oldObject\":{\"spec\":{\"ephemeralContainers\":[%s]}}}}"
            .formatted(after, before));
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

  static final String BIG_HEAD =
      "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n";

  /// Announces a body and sends the begin of it.
  private static Attack begun(int announced, String begin) {
    return (socket, _) -> {
      write(socket, BIG_HEAD.formatted(announced) + begin);
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
    write(socket, BIG_HEAD.formatted(1_000_000));
    while (true) {
      write(socket, "{");
      Thread.sleep(100);
    }
  }

  static void halfBody(Socket socket, int number) throws IOException {
    write(socket, BIG_HEAD.formatted(15 * HostileCallersBench.MIB));
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

  static void chunks(Socket socket, int number) throws IOException {
    write(
        socket,
        "POST /webhook/pods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (true) {
      write(socket, "1\r\n \r\n".repeat(100));
    }
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
    write(socket, PAGE);
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

  static void handshake(Socket socket, int number) throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      TrustManagerFactory none = TrustManagerFactory.getInstance("PKIX");
      none.init((KeyStore) null);
      context.init(null, none.getTrustManagers(), null);
      SSLSocket secure =
          (SSLSocket) context.getSocketFactory().createSocket(socket, "x", socket.getPort(), false);
      secure.startHandshake(); // fails at the certificate, when the server has done its work
    } catch (GeneralSecurityException impossible) {
      throw new IOException(impossible);
    }
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }
}

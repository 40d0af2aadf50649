package dev.muster.server.http.stream;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// A server of streams whose clock is the test's. A caller sees the namespace that its path names,
/// and everything for the path `/`.
final class StreamServer implements AutoCloseable {
  static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  volatile State image = State.empty(new Topology(List.of()));
  volatile PageAccess.Answer rights = new PageAccess.Granted(PageView.WHOLE);

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  final ChangeStreams streams = new ChangeStreams(() -> image);
  private final HttpServer server;
  private final AtomicLong nanos = new AtomicLong(System.nanoTime());

  /// The age of the answer of the API server by which rights are granted.
  volatile Duration age = Duration.ZERO;

  StreamServer() throws Exception {
    Router router = Router.router(vertx);
    router
        .get("/")
        .handler(ctx -> {
          if (!streams.open(ctx, address(ctx), granted(PageView.WHOLE), this::review)) {
            ctx.fail(503);
          }
        });
    router
        .get("/:namespace")
        .handler(ctx -> {
          PageView view =
              new PageView(
                  Set.of(), GangScope.all(String.valueOf(ctx.pathParam("namespace"))), false);
          streams.open(ctx, address(ctx), granted(view), this::review);
        });
    server =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(30, TimeUnit.SECONDS);
  }

  private static String address(RoutingContext ctx) {
    return ctx.request().remoteAddress().hostAddress();
  }

  private PageAccess.Granted granted(PageView view) {
    return new PageAccess.Granted(view, nanos.get() - age.toNanos());
  }

  private void review(Consumer<PageAccess.Answer> answer) {
    answer.accept(
        rights instanceof PageAccess.Granted(PageView view, long _) ? granted(view) : rights);
  }

  void see(String namespace, String name) {
    GangId gang = new GangId(namespace, GangId.Origin.POD_GROUP, name);
    Event event = new Event.GangSeen(NOW, GangSpec.of(gang, 1, "research", NOW));
    image = image.with(image.cluster().apply(event));
  }

  /// Lets time pass, and looks for changes.
  void tick(Duration passed) {
    streams.tick(nanos.addAndGet(passed.toNanos()));
  }

  void tick() {
    tick(Duration.ofSeconds(1));
  }

  /// Waits until the thread of the connections has done what it was told.
  void await() throws IOException {
    try (Reader another = open("/")) {
      another.event();
    }
  }

  Reader open(String path, String... headers) throws IOException {
    return begun(connect(path, headers));
  }

  /// Opens a stream from an address of loopback.
  Reader openFrom(String address) throws IOException {
    return begun(connect(InetAddress.getByName(address), "/"));
  }

  private static Reader begun(Reader reader) throws IOException {
    reader.line(); // the status
    while (!reader.line().isEmpty()) {
      // headers
    }
    return reader;
  }

  /// Opens a stream of which nothing is read so far.
  Reader connect(String path, String... headers) throws IOException {
    return connect(InetAddress.getLoopbackAddress(), path, headers);
  }

  private Reader connect(InetAddress from, String path, String... headers) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.setReceiveBufferSize(4_096);
    socket.setSoTimeout(30_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.actualPort()));
    String head = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    socket
        .getOutputStream()
        .write(
            "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n"
                .formatted(path, head)
                .getBytes(StandardCharsets.US_ASCII));
    return new Reader(
        socket,
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
  }

  /// A caller that reads its stream.
  record Reader(Socket socket, BufferedReader lines) implements AutoCloseable {
    String line() throws IOException {
      String line = lines.readLine();
      return line == null ? "(end)" : line;
    }

    /// Returns the next line that begins so, or `(end)`.
    String next(String start) throws IOException {
      String line;
      do {
        line = line();
      } while (!line.startsWith(start) && !line.equals("(end)"));
      return line;
    }

    /// Returns the names of all events until the stream ends.
    List<String> rest() throws IOException {
      List<String> names = new ArrayList<>();
      for (String line = line(); !line.equals("0") && !line.equals("(end)"); line = line()) {
        if (line.startsWith("event: ")) {
          names.add(line);
        }
      }
      return names;
    }

    /// Returns name and data of the next event.
    String event() throws IOException {
      return next("event: ") + " " + next("data: ");
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Override
  public void close() {
    streams.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}

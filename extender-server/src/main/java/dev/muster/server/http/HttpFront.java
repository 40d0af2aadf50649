package dev.muster.server.http;

import dev.muster.server.http.receive.ConnectionLimit;
import dev.muster.server.http.receive.FlowControl;
import dev.muster.server.http.receive.Intake;
import dev.muster.server.http.stream.ChangeStreams;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The HTTP side of the server: one plain port and, for webhooks, one with TLS. Both ports serve
/// equal paths. A third port serves only probes and metrics.
///
/// Each port has one thread of its own, its event loop. So handshakes and large bodies on the port
/// with TLS do not delay kube-scheduler on the plain port, and neither delays a probe.
///
/// A connection counts among the open ones once its TLS handshake is complete. Those before are
/// limited, too (`receive.NewConnections`).
public final class HttpFront implements AutoCloseable {
  /// Longer than the 90 s for which kube-scheduler keeps an idle connection.
  private static final int IDLE_SECONDS = 300;

  /// The expected callers need a few dozen connections. Each costs a file descriptor and some KiB.
  private static final int MOST_CONNECTIONS = 1_000;

  /// The bytes that the kernel keeps for a connection that is not read.
  private static final int RECEIVE_BUFFER = 1 << 16;

  /// The bytes that the kernel keeps of answers that are not read. By default it keeps megabytes
  /// for each connection. A thousand of them use up its memory for TCP, and packets of others are
  /// lost.
  private static final int SEND_BUFFER = 1 << 18;

  /// New connections that may wait, so that a burst of them refuses nobody.
  private static final int BACKLOG = 4_096;

  /// Shorter than by default: an open handshake costs some tens of KiB.
  private static final int HANDSHAKE_SECONDS = 3;

  private static final int LOOPS = 2; // one for each port

  private static final Duration DRAIN = Duration.ofSeconds(5);

  /// The expected callers of the probe port are the kubelet and Prometheus.
  private static final int MOST_PROBES = 100;

  private final Vertx vertx;
  private final ConnectionLimit connections = new ConnectionLimit(MOST_CONNECTIONS);
  private final Intake intake = Intake.ofHeap();
  private @Nullable HttpServer plain;
  private @Nullable HttpServer secure;
  private @Nullable Vertx probing;
  private @Nullable HttpServer probes;
  private @Nullable Certificates certificates;
  private @Nullable ChangeStreams streams;

  private HttpFront(Vertx vertx) {
    this.vertx = vertx;
  }

  /// Starts to listen, and returns when all ports are open.
  ///
  /// @throws IOException if a port cannot be opened or a certificate cannot be read; nothing stays
  ///   open then
  public static HttpFront start(HttpDependencies dependencies, ListenOptions listen)
      throws IOException {
    return start(dependencies, listen, _ -> {});
  }

  /// Starts to listen, with additional paths.
  ///
  /// @param more adds routes that precede the built-in ones
  /// @throws IOException if a port cannot be opened or a certificate cannot be read; nothing stays
  ///   open then
  public static HttpFront start(
      HttpDependencies dependencies, ListenOptions listen, Consumer<Router> more)
      throws IOException {
    HttpFront front = new HttpFront(vertx(LOOPS));
    try {
      front.open(dependencies, listen, more);
      return front;
    } catch (IOException | RuntimeException problem) {
      front.close();
      throw problem;
    }
  }

  /// Creates few threads and no cache directory, so that a read-only file system suffices.
  private static Vertx vertx(int loops) {
    FileSystemOptions files =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    VertxOptions options =
        new VertxOptions()
            .setEventLoopPoolSize(loops)
            .setWorkerPoolSize(loops)
            .setFileSystemOptions(files);
    return Vertx.builder().with(options).withTransport(FlowControl.transport()).build();
  }

  /// Opens the ports. Those that tell that Muster is ready come last, since the API server then
  /// calls the others.
  private void open(HttpDependencies dependencies, ListenOptions listen, Consumer<Router> more)
      throws IOException {
    ChangeStreams changes = new ChangeStreams(dependencies.image());
    streams = changes;
    Router router =
        new Routes(dependencies, vertx, listen, connections, intake, changes).router(more);
    changes.start();
    if (listen.tls().isPresent()) {
      ListenOptions.Tls tls = listen.tls().get();
      certificates = new Certificates(tls);
      secure =
          listening(
              router,
              certificates.read(vertx).applyTo(options(listen.host(), tls.port()).setSsl(true)));
      certificates.keepFresh(vertx, secure);
    }
    plain = listening(router, options(listen.host(), listen.port()));
    if (listen.probePort().isPresent()) {
      probing = vertx(1);
      ConnectionLimit limit = new ConnectionLimit(MOST_PROBES);
      probes =
          listening(
              probing,
              limit,
              new ProbeRoutes(dependencies, limit).router(probing),
              options(listen.host(), listen.probePort().getAsInt()));
    }
  }

  private static HttpServerOptions options(String host, int port) {
    return new HttpServerOptions()
        .setHost(host)
        .setPort(port)
        .setTcpNoDelay(true)
        .setAcceptBacklog(BACKLOG)
        .setReceiveBufferSize(RECEIVE_BUFFER)
        .setSendBufferSize(SEND_BUFFER)
        .setHttp2ClearTextEnabled(false) // as with TLS
        // No path takes WebSockets, and their handlers fail, with a log line for each, when a
        // client sends over 128 requests before it reads an answer.
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
        .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
        .setIdleTimeout(IDLE_SECONDS);
  }

  private HttpServer listening(Router router, HttpServerOptions options) throws IOException {
    return listening(vertx, connections, router, options);
  }

  private static HttpServer listening(
      Vertx vertx, ConnectionLimit connections, Router router, HttpServerOptions options)
      throws IOException {
    HttpServer server =
        vertx
            .createHttpServer(options)
            .connectionHandler(connection -> {
              FlowControl.use(connection);
              connections.opened(connection);
            })
            .requestHandler(request -> {
              FlowControl.expect(request);
              whenRead(request, () -> router.handle(request));
            });
    try {
      done(vertx.deployVerticle(_ -> server.listen())); // else all ports share one event loop
      return server;
    } catch (IOException problem) {
      throw new IOException(
          "Cannot listen on %s:%d: %s. %s"
              .formatted(
                  options.getHost(), options.getPort(), problem.getMessage(), remedy(problem)),
          problem);
    }
  }

  /// Runs the work when the client has read the earlier answers, so that they do not pile up.
  private static void whenRead(HttpServerRequest request, Runnable work) {
    if (request.response().writeQueueFull()) {
      request.pause();
      request
          .response()
          .drainHandler(_ -> {
            request.resume();
            work.run();
          });
    } else {
      work.run();
    }
  }

  /// Returns the likely cause. Linux and macOS use equal texts for a port in use; Windows has a
  /// longer one.
  private static String remedy(IOException problem) {
    String words = String.valueOf(problem.getMessage());
    return words.contains("in use") || words.contains("only one usage")
        ? "Another process uses the port."
        : "server.host must be an address of this machine; ports below 1024 need privileges.";
  }

  /// Returns the number of the plain port.
  public int port() {
    return plain == null ? 0 : plain.actualPort();
  }

  /// Returns the number of the port for probes, if there is one.
  public OptionalInt probePort() {
    return probes == null ? OptionalInt.empty() : OptionalInt.of(probes.actualPort());
  }

  /// Returns the number of the TLS port, if there is one.
  public OptionalInt tlsPort() {
    return secure == null ? OptionalInt.empty() : OptionalInt.of(secure.actualPort());
  }

  /// Checks the certificate files now, in addition to the periodic check.
  ///
  /// @return true if a new certificate is served now
  boolean lookAtCertificates() throws IOException {
    return certificates != null && secure != null && done(certificates.look(vertx, secure));
  }

  /// Waits a short while for running calls, then closes all ports and connections. Returns when
  /// everything is closed.
  @Override
  public void close() {
    try {
      if (streams != null) {
        streams.close(); // they would not end by themselves
      }
      drain(plain);
      drain(secure);
      drain(probes);
      done(vertx.close());
      if (probing != null) {
        done(probing.close());
      }
      intake.queue().close();
    } catch (IOException problem) {
      throw new IllegalStateException("The HTTP server did not close.", problem);
    }
  }

  private static void drain(@Nullable HttpServer server) throws IOException {
    if (server != null) {
      done(server.shutdown(DRAIN));
    }
  }

  private static <T> T done(Future<T> future) throws IOException {
    try {
      return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (ExecutionException problem) {
      Throwable cause = problem.getCause() == null ? problem : problem.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    } catch (TimeoutException problem) {
      throw new IOException("no answer within 30s", problem);
    } catch (InterruptedException problem) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", problem);
    }
  }
}

package dev.muster.server.http.receive;

import dev.muster.server.http.TestKeys;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// A server whose connections are controlled as those of Muster are, and watched.
final class TappedServer implements AutoCloseable {
  private final Vertx vertx = Vertx.builder().withTransport(FlowControl.transport()).build();
  private final HttpServerOptions options =
      new HttpServerOptions() // as HttpFront has them
          .setHttp2ClearTextEnabled(false)
          .setPerFrameWebSocketCompressionSupported(false)
          .setPerMessageWebSocketCompressionSupported(false);
  private SocketFactory sockets = SocketFactory.getDefault();
  private Consumer<Object> read = _ -> {};
  private Consumer<Object> decoded = _ -> {};
  private Consumer<HttpConnection> opened = _ -> {};

  /// @param tap sees what is read of a connection, as Netty's buffers
  TappedServer read(Consumer<Object> tap) {
    read = tap;
    return this;
  }

  /// @param tap sees what is decoded, as Netty's messages
  TappedServer decoded(Consumer<Object> tap) {
    decoded = tap;
    return this;
  }

  TappedServer opened(Consumer<HttpConnection> handler) {
    opened = handler;
    return this;
  }

  /// Uses TLS.
  ///
  /// @param folder holds the keys
  TappedServer secure(Path folder) throws Exception {
    TestKeys keys = new TestKeys(folder);
    keys.authority("signer");
    keys.server("server", "signer");
    options
        .setSsl(true)
        .setKeyCertOptions(
            new PemKeyCertOptions()
                .setCertPath(keys.writeCertificate("server", folder.resolve("tls.crt")).toString())
                .setKeyPath(keys.writeKey("server", folder.resolve("tls.key")).toString()));
    sockets = keys.context("signer").getSocketFactory();
    return this;
  }

  Vertx vertx() {
    return vertx;
  }

  /// Connects to the server.
  ///
  /// @param handler answers requests
  Socket connect(Handler<HttpServerRequest> handler) throws IOException {
    return sockets.createSocket(InetAddress.getLoopbackAddress(), listen(handler));
  }

  /// Connects to the server with a socket below that of TLS.
  SSLSocket connect(Handler<HttpServerRequest> handler, Socket below) throws IOException {
    below.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), listen(handler)));
    return (SSLSocket)
        ((SSLSocketFactory) sockets).createSocket(below, "127.0.0.1", below.getPort(), false);
  }

  private int listen(Handler<HttpServerRequest> handler) {
    return vertx
        .createHttpServer(options)
        .connectionHandler(this::watch)
        .requestHandler(request -> {
          FlowControl.expect(request);
          handler.handle(request);
        })
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  private void watch(HttpConnection connection) {
    ChannelHandlerContext last = ((HttpServerConnection) connection).channelHandlerContext();
    ChannelPipeline pipeline = last.pipeline();
    pipeline.addFirst(tap(read));
    pipeline.addBefore(last.name(), null, tap(decoded));
    FlowControl.use(connection);
    opened.accept(connection);
  }

  private static ChannelHandler tap(Consumer<Object> tap) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        tap.accept(message);
        context.fireChannelRead(message);
      }
    };
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}

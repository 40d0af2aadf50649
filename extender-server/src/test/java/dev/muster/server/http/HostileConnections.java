package dev.muster.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What hostile connections send, and the means to send it.
final class HostileConnections {
  private HostileConnections() {}

  static Socket open(int port) throws IOException {
    Socket socket = new Socket();
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

  static byte[] bigCall() {
    String names =
        IntStream.range(0, 60_000)
            .mapToObj(i -> "\"gpu-node-%05d\"".formatted(i))
            .collect(Collectors.joining(","));
    return post("/scheduler/filter", HttpFrontScene.args("unknown", names));
  }

  /// A debug container is added to a pod that has many.
  static byte[] hostileReview() {
    String after = String.join(",", Collections.nCopies(40_000, "{\"name\":\"a\"}"));
    String before = String.join(",", Collections.nCopies(175_000, "{}"));
    return post(
        "/webhook/hide-gpus/pods",
        "{\"kind\":\"AdmissionReview\",\"request\":{\"uid\":\"u\",\"operation\":\"UPDATE\",\"subResource\":\"ephemeralcontainers\",\"namespace\":\"ml\",\"object\":{\"spec\":{\"ephemeralContainers\":[%s]}},\"oldObject\":{\"spec\":{\"ephemeralContainers\":[%s]}}}}"
            .formatted(after, before));
  }

  static void idle(Socket socket, int number, AtomicBoolean stop)
      throws IOException, InterruptedException {
    waits(socket, stop);
  }

  static void waits(Socket socket, AtomicBoolean stop) throws IOException {
    while (!stop.get()) {
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

  static void head(Socket socket, int number, AtomicBoolean stop) throws IOException {
    write(socket, BIG_HEAD.formatted(1_000_000));
    waits(socket, stop);
  }

  static void slowHead(Socket socket, int number, AtomicBoolean stop)
      throws IOException, InterruptedException {
    write(socket, "POST /scheduler/filter HTTP/1.1\r\n");
    while (!stop.get()) {
      write(socket, "X");
      Thread.sleep(100);
    }
  }

  static void slowBody(Socket socket, int number, AtomicBoolean stop)
      throws IOException, InterruptedException {
    write(socket, BIG_HEAD.formatted(1_000_000));
    while (!stop.get()) {
      write(socket, "{");
      Thread.sleep(100);
    }
  }

  static void halfBody(Socket socket, int number, AtomicBoolean stop) throws IOException {
    write(socket, BIG_HEAD.formatted(15 * HostileCallersBench.MIB));
    byte[] part = new byte[65_536];
    Arrays.fill(part, (byte) ' ');
    OutputStream out = socket.getOutputStream();
    for (int sent = 0; sent < 14 * HostileCallersBench.MIB && !stop.get(); sent += part.length) {
      out.write(part);
    }
    waits(socket, stop);
  }

  static void churn(HttpFront front, int number, AtomicBoolean stop)
      throws IOException, InterruptedException {
    if (number >= 10) {
      Thread.sleep(HostileCallersBench.MEASURE);
    }
    List<Socket> left = new ArrayList<>();
    byte[] call = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    try {
      while (!stop.get()) {
        Socket socket = open(front.port());
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

  static void pipelined(Socket socket, int number, AtomicBoolean stop) throws IOException {
    String calls = "GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000);
    while (!stop.get()) {
      write(socket, calls);
    }
  }

  static void garbage(HttpFront front, int number, AtomicBoolean stop) throws IOException {
    Random random = new Random(number);
    byte[] bytes = new byte[10_000];
    while (!stop.get()) {
      random.nextBytes(bytes);
      try (Socket socket = open(front.port())) {
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        while (in.read(bytes) >= 0) {
          // what comes is left unread
        }
      }
    }
  }

  static void chunks(Socket socket, int number, AtomicBoolean stop) throws IOException {
    write(
        socket,
        "POST /webhook/pods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (!stop.get()) {
      write(socket, "1\r\n \r\n".repeat(100));
    }
  }

  static void loop(Socket socket, byte[] call, AtomicBoolean stop) throws IOException {
    while (!stop.get()) {
      ask(socket, call);
    }
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }
}

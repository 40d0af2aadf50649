package dev.muster.server.http;

import dev.muster.core.admission.Queues;
import dev.muster.core.engine.State;
import dev.muster.core.fit.Veto;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// How long kube-scheduler waits for us, against an echo of the same body by the same server. One
/// connection, one call at a time, as kube-scheduler does it; the kinds of calls take turns, so
/// that noise hits all alike.
///
/// ```
/// ./mvnw -pl extender-server -am verify -Dtest=ExtenderBench -Dsurefire.failIfNoSpecifiedTests=false
/// ```
///
/// Not part of the build: its name is no test's name.
class ExtenderBench {
  private static final int WARM_UP = 2_000;
  private static final int ROUNDS = 2_000;

  /// One kind of call, and how long each took.
  private static final class Call {
    final String name;
    final byte[] request;
    final long[] nanos = new long[ROUNDS];

    Call(String name, byte[] request) {
      this.name = name;
      this.request = request;
    }

    long at(int percentile) {
      return nanos[ROUNDS * percentile / 100];
    }
  }

  @Test
  void run() throws IOException {
    System.out.printf(
        "%6s  %-22s %10s %10s %8s %8s%n",
        "names", "call", "p50 us", "p99 us", "p50/echo", "p99/echo");
    for (int names : new int[] {100, 1_000, 5_000}) {
      measure(names);
    }
  }

  private static State image(int nodes) {
    Images image = Images.cluster();
    for (int i = 0; i < nodes; i++) {
      image = image.node(node(i), i % 4 == 0 ? 8 : 0);
    }
    return image
        .train(1)
        .waiting("planned")
        .waiting("late")
        .promised("planned", node(nodes / 8 * 4))
        .waits(new Veto.NotEnoughFree(Images.GPU, 8, 0))
        .state();
  }

  private static String node(int i) {
    return "gpu-node-%05d.rack-%02d.cluster.example".formatted(i, i / 40);
  }

  private static void measure(int names) throws IOException {
    State image = image(names);
    ServerMetrics metrics = new ServerMetrics(() -> image);
    Parts parts =
        new Parts(
            () -> image,
            Queues.NONE,
            Images.SCOPE,
            new WebhookOptions(true, true, _ -> Map.of()),
            metrics,
            () -> true);
    Listen listen = new Listen("127.0.0.1", 0, 8 << 20, Optional.empty());
    try (HttpFront front =
            HttpFront.start(
                parts,
                listen,
                router -> {
                  router.post("/echo").handler(BodyHandler.create(false));
                  router.post("/echo").handler(ctx -> ctx.response().end(ctx.body().buffer()));
                });
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setTcpNoDelay(true);
      List<Call> calls = calls(names);
      time(calls, socket);
      report(names, calls);
    }
    metrics.close();
  }

  private static List<Call> calls(int names) {
    String list =
        IntStream.range(0, names)
            .mapToObj(i -> '"' + node(i) + '"')
            .collect(Collectors.joining(","));
    return List.of(
        new Call("echo", request("/echo", "planned", list)),
        new Call("filter, promised", request("/scheduler/filter", "planned", list)),
        new Call("filter, waiting", request("/scheduler/filter", "late", list)),
        new Call("filter, stranger", request("/scheduler/filter", "stranger", list)),
        new Call("prioritize, promised", request("/scheduler/prioritize", "planned", list)),
        new Call("prioritize, waiting", request("/scheduler/prioritize", "late", list)),
        new Call("prioritize, stranger", request("/scheduler/prioritize", "stranger", list)));
  }

  private static byte[] request(String path, String pod, String names) {
    boolean ours = !pod.equals("stranger");
    String label = ours ? ",\"scheduling.x-k8s.io/pod-group\":\"train\"" : "";
    String gpu = ours ? ",\"nvidia.com/gpu\":\"8\"" : "";
    String note = "x".repeat(1_700);
    String body =
        """
        {"Pod":{"metadata":{"name":"%1$s","namespace":"ml","uid":"uid-%1$s","creationTimestamp":"2026-11-21T12:00:00Z",\
        "labels":{"app":"x"%2$s},"annotations":{"note":"%3$s"}},"spec":{"schedulerName":"default-scheduler",\
        "containers":[{"name":"main","image":"registry.example/train:1","env":[{"name":"A","value":"%3$s"}],\
        "resources":{"limits":{"cpu":"8"%4$s},"requests":{"cpu":"8"%4$s}}}],"tolerations":[{"operator":"Exists"}]},\
        "status":{"phase":"Pending","qosClass":"Burstable"}}\
        """
                .formatted(pod, label, note, gpu)
            + ",\"Nodes\":null,\"NodeNames\":["
            + names
            + "]}";
    return "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(path, body.length(), body)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void time(List<Call> calls, Socket socket) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      for (Call call : calls) {
        long start = System.nanoTime();
        socket.getOutputStream().write(call.request);
        readAnswer(in);
        if (round >= 0) {
          call.nanos[round] = System.nanoTime() - start;
        }
      }
    }
  }

  private static void readAnswer(InputStream in) throws IOException {
    int length = -1;
    List<String> head = new ArrayList<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      head.add(line);
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    if (!head.getFirst().contains(" 200 ") || in.readNBytes(length).length < length) {
      throw new IOException("Not a whole answer of status 200: " + head);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("The server closed the connection.");
      }
      line.append((char) c);
    }
    return line.toString().strip();
  }

  private static void report(int names, List<Call> calls) {
    calls.forEach(call -> Arrays.sort(call.nanos));
    Call echo = calls.getFirst();
    for (Call call : calls) {
      System.out.printf(
          "%6d  %-22s %10.0f %10.0f %8.1f %8.1f%n",
          names,
          call.name,
          call.at(50) / 1e3,
          call.at(99) / 1e3,
          (double) call.at(50) / echo.at(50),
          (double) call.at(99) / echo.at(99));
    }
  }
}

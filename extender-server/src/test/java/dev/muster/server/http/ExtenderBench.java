package dev.muster.server.http;

import dev.muster.core.cluster.Event;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.core.victims.PriorityPreemptionPolicy;
import dev.muster.server.http.extender.ExtenderAnswers;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.ExtenderWriter;
import dev.muster.server.http.extender.KeyCasing;
import dev.muster.server.http.extender.MalformedRequest;
import io.vertx.ext.web.handler.BodyHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Measures how long kube-scheduler waits for an extender call, compared with an echo by this
/// server.
///
/// An echo reads an equal body and sends an answer of about equal size. The answer is the whole
/// body if nodes pass, and its first bytes if at most one does.
///
/// All connections make one call at one time, then all make the next. So noise affects all calls
/// alike, and no call waits for another kind. The order of the names changes from call to call, as
/// it does at kube-scheduler.
///
/// ```
/// ./mvnw -pl extender-server -am verify -Dtest=ExtenderBench -Dsurefire.failIfNoSpecifiedTests=false
/// ```
///
/// It runs for about two minutes; `-Dbench.seconds=30` measures longer, and `-Dbench.policy=true`
/// puts a preemption policy in force, which preempt calls for unmanaged pods then ask. Not part of
/// the build: its name is no test's name.
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ExtenderBench {
  private static final Duration MEASURE =
      Duration.ofSeconds(Integer.getInteger("bench.seconds", 14));
  private static final Duration SETTLE = Duration.ofSeconds(2);
  private static final int WARM_UP = 500; // rounds, until the compiler is through
  private static final int LEAST = 30; // rounds, on a busy machine
  private static final int ORDERS = 4;
  private static final int ALONE = 3_000; // calls
  private static final int HEAD = 200; // bytes in which the head of a request ends
  private static final int SHORT = 200; // bytes of an answer with one node or one refusal
  private static final Policies POLICIES =
      Boolean.getBoolean("bench.policy")
          ? Policies.DEFAULT.with(new PriorityPreemptionPolicy(Mode.ENFORCE))
          : Policies.DEFAULT;

  @Test
  void run() throws Exception {
    long start = System.nanoTime();
    System.out.printf(
        "%6s %5s  %-22s %7s %10s %10s %8s %8s%n",
        "names", "conns", "call", "calls", "p50 us", "p99 us", "p50/echo", "p99/echo");
    for (int names : new int[] {5_000, 15_000}) {
      State image = image(names);
      measure(image, names, 1);
      measure(image, names, 16);
    }
    System.out.printf("took %d s%n", Duration.ofNanos(System.nanoTime() - start).toSeconds());
  }

  /// Measures a call without the network: one thread, one call after the other.
  @Test
  void by_itself() throws MalformedRequest {
    State image = image(5_000);
    ExtenderAnswers extender = new ExtenderAnswers(ServerImages.SCOPE);
    System.out.printf(
        "%-22s %10s %10s %10s%n", "call by itself", "least us", "p50 us", "answer, B");
    for (TurnTaking.Call call : calls(5_000)) {
      int answered = 0;
      for (int i = 0; i < 2 * ALONE; i++) {
        if (i == ALONE) {
          call.forget(); // until here the compiler was at it
        }
        byte[] request = call.request(i);
        long start = System.nanoTime();
        answered = answer(request, extender, image).length;
        call.took(System.nanoTime() - start);
      }
      System.out.printf(
          Locale.ROOT,
          "%-22s %10.0f %10.0f %10d%n",
          call.name(),
          call.nanos(0) / 1e3,
          call.nanos(50) / 1e3,
          answered);
    }
  }

  /// Returns the answer to the call; for an echo, a copy.
  private static byte[] answer(byte[] request, ExtenderAnswers extender, State image)
      throws MalformedRequest {
    String head = new String(request, 0, HEAD, StandardCharsets.US_ASCII);
    byte[] body = Arrays.copyOfRange(request, head.indexOf("\r\n\r\n") + 4, request.length);
    Set<String> gpus = ServerImages.SCOPE.accelerators();
    return switch (head.split(" ", 3)[1]) {
      case "/scheduler/filter" ->
          ExtenderWriter.filter(
              extender.filter(image, ExtenderReader.args(body, gpus)), KeyCasing.GO);
      case "/scheduler/prioritize" ->
          ExtenderWriter.scores(
              extender.prioritize(image, ExtenderReader.args(body, gpus)), KeyCasing.GO);
      case "/scheduler/preempt" ->
          ExtenderWriter.preemption(
              extender.preempt(image, POLICIES, ExtenderReader.preemption(body, gpus)),
              KeyCasing.GO);
      default -> body;
    };
  }

  /// A quarter of the nodes has GPUs; half of those run a gang of one.
  private static State image(int nodes) {
    ServerImages image = ServerImages.cluster();
    for (int i = 0; i < nodes; i++) {
      image = image.node(node(i), i % 4 == 0 ? 8 : 0);
    }
    for (int i = 0; i < nodes; i += 8) {
      MemberState bound = new MemberState.Bound(new NodeId(node(i)), ServerImages.NOW);
      GangId gang = new GangId("ml", GangId.Origin.POD_GROUP, "running-" + i);
      image =
          image
              .after(
                  new Event.GangSeen(
                      ServerImages.NOW, GangSpec.of(gang, 1, "research", ServerImages.NOW)))
              .member(gang, victim(i, 0), bound);
    }
    return image
        .train(1)
        .waiting("planned")
        .waiting("late")
        .promised("planned", node(nodes / 8 * 4))
        .waits(new Veto.NotEnoughFree(ServerImages.GPU, 8, 0))
        .state();
  }

  private static String node(int i) {
    return "gpu-node-%05d.rack-%02d.cluster.example".formatted(i, i / 40);
  }

  /// Returns the part after `uid-` of the uid of a pod on the node.
  private static String victim(int node, int pod) {
    return "%05d-%d-7c1b-4d1a-9f3e-0123456789ab".formatted(node, pod);
  }

  private static void measure(State image, int names, int connections) throws Exception {
    ServerMetrics metrics = new ServerMetrics(() -> image);
    WebhookOptions webhook = new WebhookOptions(true, true, _ -> Map.of());
    HttpDependencies dependencies =
        new HttpDependencies(
            () -> image, () -> POLICIES, ServerImages.SCOPE, webhook, metrics, () -> true);
    ListenOptions listen = new ListenOptions("127.0.0.1", 0, 8 << 20, Optional.empty());
    try (HttpFront front =
            HttpFront.start(
                dependencies,
                listen,
                router -> {
                  router.post("/echo*").handler(BodyHandler.create(false));
                  router.post("/echo").handler(ctx -> ctx.response().end(ctx.body().buffer()));
                  router.post("/echo/short").handler(ctx -> ctx.response().end("x".repeat(SHORT)));
                });
        TurnTaking turns = new TurnTaking(front.port(), connections, calls(names))) {
      turns.run(SETTLE, connections == 1 && names == 5_000 ? WARM_UP : LEAST);
      turns.forget();
      turns.run(MEASURE, LEAST);
      report(names, connections, turns.calls());
    } finally {
      metrics.close();
    }
  }

  private static List<TurnTaking.Call> calls(int names) {
    return List.of(
        call("short echo of names", "/echo/short", "planned", names),
        call("filter, promised", "/scheduler/filter", "planned", names),
        call("filter, waiting", "/scheduler/filter", "late", names),
        call("prioritize, promised", "/scheduler/prioritize", "planned", names),
        call("prioritize, waiting", "/scheduler/prioritize", "late", names),
        call("echo of names", "/echo", "planned", names),
        call("filter, stranger", "/scheduler/filter", "stranger", names),
        call("prioritize, stranger", "/scheduler/prioritize", "stranger", names),
        preempt("short echo of victims", "/echo/short", "planned", names),
        preempt("preempt, promised", "/scheduler/preempt", "planned", names),
        preempt("echo of victims", "/echo", "planned", names),
        preempt("preempt, stranger", "/scheduler/preempt", "stranger", names));
  }

  private static TurnTaking.Call call(String name, String path, String pod, int names) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, names).boxed().toList());
    List<byte[]> requests = new ArrayList<>();
    for (int seed = 0; seed < ORDERS; seed++) {
      Collections.shuffle(order, new Random(seed));
      String list =
          order.stream().map(i -> '"' + node(i) + '"').collect(Collectors.joining(",", "[", "]"));
      requests.add(request(path, pod, "\"Nodes\":null,\"NodeNames\":" + list));
    }
    return new TurnTaking.Call(name, requests);
  }

  /// A tenth of the nodes are candidates, as many as kube-scheduler sends by default, each with two
  /// victims.
  private static TurnTaking.Call preempt(String name, String path, String pod, int names) {
    String victims =
        IntStream.range(0, names / 10)
            .mapToObj(i ->
                "\"%s\":{\"Pods\":[{\"UID\":\"uid-%s\"},{\"UID\":\"uid-%s\"}],\"NumPDBViolations\":0}"
                    .formatted(node(i), victim(i, 1), victim(i, 0)))
            .collect(Collectors.joining(",", "{", "}"));
    return new TurnTaking.Call(
        name,
        List.of(
            request(path, pod, "\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":" + victims)));
  }

  private static byte[] request(String path, String pod, String nodes) {
    boolean ours = !pod.equals("stranger");
    String label = ours ? ",\"scheduling.x-k8s.io/pod-group\":\"train\"" : "";
    String gpu = ours ? ",\"nvidia.com/gpu\":\"8\"" : "";
    String note = "x".repeat(1_700);
    String body =
        """
        {"Pod":{"metadata":{"name":"%1$s","namespace":"ml","uid":"uid-%1$s","creationTimestamp":"2026-11-21T12:00:00Z",\
        "labels":{"app":"x"%2$s},"annotations":{"note":"%3$s"}},"spec":{"schedulerName":"default-scheduler","priority":1000,\
        "containers":[{"name":"main","image":"registry.example/train:1","env":[{"name":"A","value":"%3$s"}],\
        "resources":{"limits":{"cpu":"8"%4$s},"requests":{"cpu":"8"%4$s}}}],"tolerations":[{"operator":"Exists"}]},\
        "status":{"phase":"Pending","qosClass":"Burstable"}},\
        """
                .formatted(pod, label, note, gpu)
            + nodes
            + "}\n";
    return "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(path, body.length(), body)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void report(int names, int connections, List<TurnTaking.Call> calls) {
    TurnTaking.Call echo = calls.getFirst();
    for (TurnTaking.Call call : calls) {
      echo = call.name().contains("echo") ? call : echo;
      System.out.printf(
          Locale.ROOT,
          "%6d %5d  %-22s %7d %10.0f %10.0f %8.2f %8.2f%n",
          names,
          connections,
          call.name(),
          call.count(),
          call.nanos(50) / 1e3,
          call.nanos(99) / 1e3,
          (double) call.nanos(50) / echo.nanos(50),
          (double) call.nanos(99) / echo.nanos(99));
    }
  }
}

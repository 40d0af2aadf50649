package dev.muster.deploy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stands for the API server of a small cluster, for the server to start against while the AOT cache
 * is made: it lists nodes, gangs that run and gangs that wait, says yes to every write, and never
 * tells of a change.
 */
final class TrainingCluster implements AutoCloseable {
  private static final int NODES = 256;
  private static final int MEMBERS = 8;
  private static final int GANGS = 240;
  private static final int RUNNING = 200;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch writes = new CountDownLatch((GANGS - RUNNING) * MEMBERS);
  private final CountDownLatch closed = new CountDownLatch(1);

  TrainingCluster() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** A kubeconfig that leads here. */
  String kubeconfig() {
    return """
    apiVersion: v1
    kind: Config
    current-context: training
    clusters: [{name: training, cluster: {server: "http://127.0.0.1:%d"}}]
    contexts: [{name: training, context: {cluster: training, user: training}}]
    users: [{name: training, user: {token: none}}]
    """
        .formatted(server.getAddress().getPort());
  }

  /**
   * Waits until every gang that waited was started, as far as can be seen here; at most so long.
   */
  void awaitStarts(int seconds) throws InterruptedException {
    writes.await(seconds, TimeUnit.SECONDS);
  }

  private void answer(HttpExchange call) throws IOException {
    try (call) {
      call.getRequestBody().readAllBytes();
      URI uri = call.getRequestURI();
      boolean watches = String.valueOf(uri.getQuery()).contains("watch=true");
      byte[] body = (watches ? "" : body(call)).getBytes(StandardCharsets.UTF_8);
      call.getResponseHeaders().set("Content-Type", "application/json");
      call.sendResponseHeaders(200, watches ? 0 : body.length);
      if (!watches) {
        call.getResponseBody().write(body);
      } else if (!call.getRequestHeaders().containsKey("Upgrade")) {
        call.getResponseBody().flush();
        closed.await(); // The watch goes on and nothing happens.
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private String body(HttpExchange call) {
    String path = call.getRequestURI().getPath();
    if (!call.getRequestMethod().equals("GET")) {
      if (path.contains("/pods/")) {
        writes.countDown();
      }
      return "{}";
    }
    return switch (path) {
      case "/api/v1/nodes" -> list("v1", "Node", NODES, TrainingCluster::node);
      case "/api/v1/pods" -> list("v1", "Pod", GANGS * MEMBERS, TrainingCluster::pod);
      case "/apis/scheduling.x-k8s.io/v1alpha1/podgroups" ->
          list("scheduling.x-k8s.io/v1alpha1", "PodGroup", GANGS, TrainingCluster::group);
      case "/apis/scheduling.x-k8s.io/v1alpha1" ->
          """
          {"kind":"APIResourceList","groupVersion":"scheduling.x-k8s.io/v1alpha1","resources":[{"name":"podgroups",
          "singularName":"podgroup","namespaced":true,"kind":"PodGroup","verbs":["get","list","watch","patch"]}]}\
          """;
      default -> list("v1", "Nothing", 0, _ -> "");
    };
  }

  private static String list(String version, String kind, int count, IntFunction<String> item) {
    return IntStream.range(0, count)
        .mapToObj(item)
        .collect(
            Collectors.joining(
                ",",
                "{\"kind\":\"%sList\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":["
                    .formatted(kind, version),
                "]}"));
  }

  private static String metadata(String name, int number, String more) {
    return """
    {"name":"%s","namespace":"default","uid":"00000000-0000-4000-8000-%012d","resourceVersion":"%d","generation":1,
    "creationTimestamp":"2026-01-01T00:00:00Z",%s,"managedFields":[{"manager":"training","operation":"Update",
    "apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:containers":
    {"k:{\\"name\\":\\"main\\"}":{".":{},"f:image":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{}}}}}}}}]}\
    """
        .formatted(name, number, number + 1, more);
  }

  private static String node(int i) {
    String metadata =
        metadata(
            "n" + i,
            i,
            "\"labels\":{\"kubernetes.io/hostname\":\"n%d\",\"nvidia.com/gpu.product\":\"NVIDIA-H100-80GB-HBM3\"}"
                .formatted(i));
    String amounts =
        "{\"cpu\":\"96\",\"memory\":\"1Ti\",\"pods\":\"110\",\"nvidia.com/gpu\":\"8\"}";
    return """
    {"metadata":%s,"spec":{},"status":{"capacity":%s,"allocatable":%s,"conditions":[{"type":"Ready","status":"True",
    "lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}\
    """
        .formatted(metadata, amounts, amounts);
  }

  private static String group(int gang) {
    return """
    {"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup","metadata":%s,"spec":{"minMember":%d}}\
    """
        .formatted(metadata("gang" + gang, gang, "\"annotations\":{}"), MEMBERS);
  }

  private static String pod(int i) {
    int gang = i / MEMBERS;
    boolean runs = gang < RUNNING;
    String labels = "\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"gang%d\"}".formatted(gang);
    return """
    {"metadata":%s,"spec":{%s,"containers":[{"name":"main","image":"registry.example/train:1","resources":
    {"limits":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"1"},"requests":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"1"}},
    "imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],
    "restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
    "schedulerName":"default-scheduler","priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority",
    "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},
    "status":%s}\
    """
        .formatted(
            metadata("gang%d-%d".formatted(gang, i % MEMBERS), i, labels),
            runs
                ? "\"nodeName\":\"n%d\"".formatted(gang)
                : "\"schedulingGates\":[{\"name\":\"muster.dev/gang\"}]",
            status(runs));
  }

  private static String status(boolean runs) {
    return runs
        ? """
        {"phase":"Running","podIP":"10.0.0.1","startTime":"2026-01-01T00:00:00Z","qosClass":"Guaranteed","conditions":[
        {"type":"PodScheduled","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},
        {"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}\
        """
        : """
        {"phase":"Pending","qosClass":"Guaranteed","conditions":[{"type":"PodScheduled","status":"False",
        "reason":"SchedulingGated","message":"Scheduling is blocked due to non-empty scheduling gates"}]}\
        """;
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}

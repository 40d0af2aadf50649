package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.fit.Veto;
import dev.muster.core.state.State;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The server answers requests over a real connection.
class HttpFrontTest extends HttpFrontScene {
  HttpFrontTest() throws IOException {}

  @Test
  void filters() throws Exception {
    HttpResponse<String> answer = post("/scheduler/filter", args("w0", "\"gpu-1\",\"gpu-2\""));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.body()).startsWith("{\"Nodes\":null,\"NodeNames\":[\"gpu-2\"],");
  }

  @Test
  void sees_the_newest_image() throws Exception {
    image.set(
        ServerImages.cluster()
            .train(1)
            .waiting("w0")
            .waits(new Veto.NotEnoughFree(ServerImages.GPU, 8, 0))
            .state());
    assertThat(post("/scheduler/filter", args("w0", "\"gpu-2\"")).body())
        .contains(
            "\"FailedAndUnresolvableNodes\":{\"gpu-2\":\"muster: gang ml/train waits: WaitingForCapacity\"}");
  }

  @Test
  void legacy_callers_get_legacy_field_names() throws Exception {
    String legacy = "{\"pod\":%s,\"nodenames\":[\"gpu-2\"]}".formatted(POD.formatted("w0", "w0"));
    assertThat(post("/scheduler/filter", legacy).body())
        .isEqualTo("{\"nodes\":null,\"nodenames\":[\"gpu-2\"],\"failedNodes\":{},\"error\":\"\"}");
    assertThat(post("/scheduler/prioritize", legacy).body())
        .isEqualTo("[{\"host\":\"gpu-2\",\"score\":10}]");
  }

  @Test
  void prioritizes_and_preempts() throws Exception {
    assertThat(post("/scheduler/prioritize", args("w0", "\"gpu-1\",\"gpu-2\"")).body())
        .isEqualTo("[{\"Host\":\"gpu-2\",\"Score\":10}]");
    String ours =
        "{\"Pod\":%s,\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"gpu-1\":{\"Pods\":[{\"UID\":\"u\"}],\"NumPDBViolations\":0}}}";
    assertThat(post("/scheduler/preempt", ours.formatted(POD.formatted("w0", "w0"))).body())
        .isEqualTo("{\"NodeNameToMetaVictims\":{}}");
    assertThat(post("/scheduler/preempt", ours.formatted("{}")).body())
        .isEqualTo(
            "{\"NodeNameToMetaVictims\":{\"gpu-1\":{\"Pods\":[{\"UID\":\"u\"}],\"NumPDBViolations\":0}}}");
  }

  @Test
  void semantic_problems_are_reported_in_the_answer() throws Exception {
    HttpResponse<String> answer =
        post("/scheduler/filter", "{\"Pod\":null,\"Nodes\":null,\"NodeNames\":[]}");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"Error\":\"The request has no Pod.");
    assertThat(post("/scheduler/prioritize", "{\"Pod\":null,\"NodeNames\":[]}").statusCode())
        .isEqualTo(400);
  }

  @Test
  void head_and_body_leave_in_one_segment() throws Exception {
    String body = args("w0", "\"gpu-2\"");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(body.length(), body)
              .getBytes(StandardCharsets.UTF_8));
      byte[] first = new byte[65_536];
      int length = socket.getInputStream().read(first);
      assertThat(new String(first, 0, length, StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 200 OK\r\n")
          .containsIgnoringCase("content-length:")
          .endsWith("\"Error\":\"\"}");
    }
  }

  @Test
  void takes_many_names() throws Exception {
    String names =
        IntStream.range(0, 200_000)
            .mapToObj(i -> "\"node-" + i + "\"")
            .collect(Collectors.joining(","));
    HttpResponse<String> answer = post("/scheduler/filter", args("w1", names));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"NodeNames\":[]")
        .contains("{\"node-0\":")
        .doesNotContain("node-1\"");
  }

  @Test
  void is_ready_after_the_initial_sync() throws Exception {
    assertThat(get("/readyz").body())
        .isEqualTo("{\"ready\":true,\"synced\":true,\"informers\":true}\n");
    informers.set(false);
    assertThat(get("/readyz").statusCode()).isEqualTo(503);
    informers.set(true);
    image.set(State.empty(image.get().cluster().topology()));
    assertThat(get("/readyz").body())
        .isEqualTo("{\"ready\":false,\"synced\":false,\"informers\":true}\n");
  }

  @Test
  void serves_metrics() throws Exception {
    String warm = post("/scheduler/filter", args("w0", "\"gpu-2\"")).body();
    assertThat(warm).contains("gpu-2");
    assertThat(post("/scheduler/filter", "{").statusCode()).isEqualTo(400);
    assertThat(get("/metrics").body())
        .contains(
            "muster_http_request_duration_seconds_count{endpoint=\"filter\",outcome=\"ok\"} 1")
        .contains(
            "muster_http_request_duration_seconds_count{endpoint=\"filter\",outcome=\"refused\"} 1")
        .contains("muster_gangs{phase=\"reserved\"} 1.0")
        .contains("muster_gpus{state=\"free\"} 16.0")
        .contains("muster_gpus{state=\"promised\"} 8.0")
        .contains("muster_gpus{state=\"used\"} 0.0")
        .contains("muster_nodes 4.0")
        .contains("jvm_memory_used_bytes");
  }

  @Test
  void pod_with_a_blank_name_is_an_unanswerable_request() throws Exception {
    String blank = args("w0", "\"gpu-1\"").replace("\"w0\"", "\" \"").replace("\"ml\"", "\" \"");
    assertThat(post("/scheduler/filter", blank).body()).contains("\"Error\":\"The pod lacks");
  }

  @Test
  void disconnected_caller_leaves_nothing_behind() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), front.port())) {
      socket.setSoLinger(true, 0);
      socket
          .getOutputStream()
          .write(
              "POST /scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
                  .getBytes(StandardCharsets.UTF_8));
    }
    assertThat(post("/scheduler/filter", args("w0", "\"gpu-2\"")).statusCode()).isEqualTo(200);
  }

  @Test
  void shows_gangs() throws Exception {
    String gang = get("/api/v1/gangs/ml/train").body();
    assertThat(gang)
        .startsWith(
            "{\"apiVersion\":\"api.muster.dev/v1\",\"kind\":\"Gang\",\"namespace\":\"ml\",\"name\":\"train\",\"origin\":\"PodGroup\",\"phase\":\"Reserved\",")
        .contains(
            "{\"name\":\"w0\",\"uid\":\"uid-w0\",\"rank\":0,\"gpus\":8,\"state\":\"Waiting\",\"promised\":\"gpu-2\"}")
        .contains(
            "\"reservation\":{\"since\":\"2026-11-21T12:00:00Z\",\"until\":\"2026-11-21T12:02:00Z\"");
    assertThat(get("/api/v1/gangs").body())
        .contains("\"kind\":\"GangList\"")
        .contains("\"name\":\"train\"");
    assertThat(get("/api/v1/gangs/ml/other").statusCode()).isEqualTo(404);
    image.set(
        ServerImages.cluster()
            .train(1)
            .waiting("w0")
            .waits(new Veto.NotEnoughFree(ServerImages.GPU, 8, 0))
            .node("x", 1)
            .state());
    assertThat(get("/api/v1/gangs/ml/train").body())
        .contains(
            "\"reason\":\"WaitingForCapacity\",\"message\":\"Needs 8 nvidia.com/gpu; free on matching nodes: 0");
  }

  @Test
  void shows_nodes() throws Exception {
    assertThat(get("/api/v1/nodes").body())
        .contains("\"kind\":\"NodeList\"")
        .contains(
            "{\"name\":\"gpu-2\",\"domain\":\"\",\"model\":\"unlabelled\",\"cordoned\":false,\"faults\":[],\"gpus\":{\"total\":8,\"free\":0,\"used\":0,\"promised\":8},\"gangs\":[{\"namespace\":\"ml\",\"name\":\"train\",\"pods\":1,\"gpus\":8,\"promisedPods\":1}]}");
  }

  @Test
  void reports_a_host_that_is_not_local() {
    ListenOptions elsewhere =
        new ListenOptions("192.0.2.1", 0, MAX_BODY, Optional.empty()); // for documentation
    assertThatThrownBy(() -> HttpFront.start(parts(), elsewhere).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("server.host must be an address of this machine");
  }

  @Test
  void reports_a_port_in_use() {
    ListenOptions taken = new ListenOptions("127.0.0.1", front.port(), MAX_BODY, Optional.empty());
    assertThatThrownBy(() -> HttpFront.start(parts(), taken).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:" + front.port())
        .hasMessageContaining("Another process uses the port.");
  }
}

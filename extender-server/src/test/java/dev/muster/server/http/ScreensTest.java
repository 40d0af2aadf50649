package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The web pages show a browser what the API shows to the same caller.
class ScreensTest extends ScreenScene {
  ScreensTest() throws IOException {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/queue",
        "/gangs",
        "/gangs/ml/train",
        "/share",
        "/usage",
        "/preemptions",
        "/server"
      })
  void screen_without_token_asks_for_one(String path) throws Exception {
    HttpResponse<String> answer = get(path);

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(answer.body())
        .contains("<form class=\"token\" method=\"post\"", "kubectl -n NAMESPACE create token")
        .doesNotContain("gpu-1", "research", "w0");
    assertThat(api.asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/queue", "/assets/muster.css", "/assets/live.js"})
  void every_answer_restricts_the_browser(String path) throws Exception {
    HttpResponse<String> answer = as("t-admin", path);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(answer.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/queue",
        "/gangs",
        "/gangs/ml/train",
        "/share",
        "/usage",
        "/preemptions",
        "/server"
      })
  void screen_loads_nothing_from_elsewhere(String path) throws Exception {
    assertThat(as("t-admin", path).body())
        .doesNotContain("http:", "https:", "//", "style=", "<style", "onclick", "<script>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/gangs/ml/%20", "/gangs/%20/a", "/gangs/ml/%0A", "/api/v1/gangs/ml/%20"})
  void blank_name_of_a_gang_is_not_found(String path) throws Exception {
    HttpResponse<String> answer = as("t-admin", path);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("The path names no gang.");
  }

  /// Else each link would grow with them.
  @Test
  void further_slashes_do_not_lengthen_links() throws Exception {
    assertThat(as("t-admin", "/".repeat(1_000)).body()).hasSameSizeAs(as("t-admin", "/").body());
  }

  @Test
  void admin_sees_nodes_and_gangs() throws Exception {
    assertThat(as("t-admin", "/").body())
        .contains("20 of 24 GPUs free on 3 nodes.", "bio/secret (4)", "gpu-1");
    assertThat(as("t-admin", "/queue").body()).contains("ml/train", "1 waiting gang for 8 GPUs.");
  }

  @Test
  void tenant_sees_no_gang_and_no_node_of_others() throws Exception {
    for (String path :
        List.of(
            "/",
            "/queue",
            "/queue?namespace=bio",
            "/gangs",
            "/share",
            "/usage",
            "/preemptions",
            "/server")) {
      assertThat(as("t-ann", path).body()).doesNotContain("secret", "bio/", "biology", "gpu-1");
    }
    assertThat(as("t-ann", "/preemptions").body()).contains("ml/train", "a gang of others");
    assertThat(as("t-ann", "/gangs/bio/secret").statusCode()).isEqualTo(403);
    assertThat(as("t-ann", "/gangs/bio/secret").body())
        .isEqualTo(as("t-ann", "/gangs/bio/absent").body().replace("absent", "secret"));
    assertThat(as("t-ann", "/").body()).contains("You may not list the nodes");
    assertThat(as("t-ann", "/queue").body()).contains("ml/train");
  }

  @Test
  void gangs_are_listed_with_their_nodes() throws Exception {
    assertThat(as("t-admin", "/gangs").body())
        .contains("2 gangs, of which 1 run.", "gangs/bio/secret", "gpu-1", "gangs/ml/train");
    assertThat(as("t-ann", "/gangs").body()).contains("1 gang of others.", "gangs/ml/train");
    assertThat(as("t-admin", "/gangs?namespace=ml").body()).doesNotContain("bio/secret");
  }

  @Test
  void budgets_are_shown_with_their_end() throws Exception {
    assertThat(as("t-admin", "/usage").body())
        .contains("queue biology", "Month", "spent", "project llm", "90.0");
    assertThat(as("t-ann", "/usage").body()).doesNotContain("queue biology", "project llm");
  }

  @Test
  void usage_of_others_is_a_sum() throws Exception {
    assertThat(as("t-admin", "/usage").body())
        .contains("4.0 GPU-hours from 2026-10-23 to 2026-11-21.", "By queue", "biology");
    assertThat(as("t-ann", "/usage").body())
        .contains("0.0 GPU-hours from", "4.0 GPU-hours of others.");
    assertThat(as("t-admin", "/usage?since=yesterday").statusCode()).isEqualTo(400);
  }

  @Test
  void open_pages_ask_for_no_token() throws Exception {
    try (HttpFront open = start(false)) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/".formatted(open.port())));

      assertThat(send(request).body()).contains("bio/secret").doesNotContain("<form");
    }
  }

  @Test
  void unknown_parameter_is_refused_in_words() throws Exception {
    HttpResponse<String> answer = as("t-admin", "/queue?quue=a");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("Did you mean").contains("<html");
  }

  @Test
  void empty_fields_of_the_form_filter_nothing() throws Exception {
    assertThat(as("t-admin", "/queue?namespace=&queue=&user=&reason=").body()).contains("ml/train");
  }

  @Test
  void unchanged_screen_is_not_sent_again() throws Exception {
    String tag = as("t-admin", "/queue").headers().firstValue("ETag").orElse("");

    HttpResponse<String> answer =
        get("/queue", "Authorization", "Bearer t-admin", "If-None-Match", tag);

    assertThat(answer.statusCode()).isEqualTo(304);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void gang_tells_what_happened_and_what_comes_next() throws Exception {
    assertThat(as("t-admin", "/gangs/ml/train").body())
        .contains(
            "Next: wait.",
            "It preempts 1 gang.",
            "w0",
            "kubectl muster why gang/train -n ml",
            "../../assets/muster.css");
  }

  @Test
  void gang_that_nobody_has_seen_is_not_found() throws Exception {
    HttpResponse<String> answer = as("t-admin", "/gangs/ml/absent");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("<html", "No gang ml/absent was seen.");
  }

  /// Such a name cannot come from Kubernetes, but a path can hold anything.
  @Test
  void markup_in_a_path_is_text() throws Exception {
    String name = URLEncoder.encode("<script>alert(1)</script>\u202e", StandardCharsets.UTF_8);
    HttpResponse<String> answer = as("t-admin", "/gangs/ml/" + name);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("&lt;script&gt;").doesNotContain("<script>", "\u202e");
  }

  @Test
  void screens_are_read_only() throws Exception {
    HttpResponse<String> answer =
        send(request("/queue").POST(HttpRequest.BodyPublishers.ofString("")));

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).hasValue("GET, HEAD");
  }

  @Test
  void without_the_api_server_screens_say_so() throws Exception {
    api.close();

    HttpResponse<String> answer = as("t-ann", "/queue");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("<html", "Scheduling does not depend on this.");
  }

  @Test
  void stream_of_changes_needs_a_token() throws Exception {
    assertThat(get("/changes").statusCode()).isEqualTo(401);
    assertThat(get("/api/v1/changes").statusCode()).isEqualTo(401);
  }

  @Test
  void cookie_opens_the_stream_of_the_screens_and_not_that_of_the_api() throws Exception {
    String cookie = cookie(give("t-ann"));

    assertThat(get("/api/v1/changes", "Cookie", cookie).statusCode()).isEqualTo(401);
    try (Stream<String> lines = lines(request("/changes").header("Cookie", cookie))) {
      assertThat(lines.filter(line -> line.startsWith("event:")).findFirst())
          .contains("event: read");
    }
  }
}

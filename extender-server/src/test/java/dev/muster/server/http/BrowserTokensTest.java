package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A browser keeps the token of a caller, for the web pages alone.
class BrowserTokensTest extends ScreenScene {
  BrowserTokensTest() throws IOException {}

  @Test
  void given_token_is_kept_by_the_browser_in_a_form_that_only_muster_reads() throws Exception {
    HttpResponse<String> answer = give("t-ann");

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("./queue");
    assertThat(answer.headers().firstValue("Set-Cookie").orElse(""))
        .contains("HTTPOnly", "SameSite=Strict", "Max-Age=28800")
        .doesNotContain("t-ann");
    assertThat(get("/queue", "Cookie", cookie(answer)).body())
        .contains("ml/train", "Forget my token");
  }

  @Test
  void kept_token_opens_no_page_of_the_api() throws Exception {
    String cookie = cookie(give("t-ann"));

    assertThat(get("/api/v1/gangs", "Cookie", cookie).statusCode()).isEqualTo(401);
  }

  @Test
  void refused_token_is_told_and_forgotten() throws Exception {
    HttpResponse<String> answer = get("/queue", "Cookie", cookie(give("t-old")));

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("It may have expired.", "<form class=\"token\"");
    assertThat(answer.headers().firstValue("Set-Cookie").orElse("")).contains("Max-Age=0");
  }

  @Test
  void cookie_of_another_process_is_no_token() throws Exception {
    HttpResponse<String> answer = get("/queue", "Cookie", "muster-token=dDphZG1pbg");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("Muster has restarted");
    assertThat(api.asked).isEmpty();
  }

  @Test
  void token_is_forgotten_on_demand() throws Exception {
    HttpResponse<String> answer =
        send(
            request("/session/end")
                .header("Cookie", cookie(give("t-ann")))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.noBody()));

    assertThat(answer.headers().firstValue("Location")).hasValue("../");
    assertThat(answer.headers().firstValue("Set-Cookie").orElse("")).contains("Max-Age=0");
  }

  @Test
  void other_sites_cannot_give_a_token() throws Exception {
    HttpResponse<String> answer = give("t-ann", "Sec-Fetch-Site", "cross-site");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("Another site has sent the form.");
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
  }

  @Test
  void form_of_another_type_is_refused_with_the_right_one() throws Exception {
    HttpResponse<String> answer =
        send(request("/session").POST(HttpRequest.BodyPublishers.ofString("token=t-ann")));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("The header Content-Type must be application/x-www-form-urlencoded.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"//evil.example", "/evil", "https://evil.example", "../x", "a\r\nb"})
  void form_returns_to_muster_only(String to) throws Exception {
    String form = "token=t-ann&to=" + URLEncoder.encode(to, StandardCharsets.UTF_8);
    HttpResponse<String> answer =
        send(
            request("/session")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));

    assertThat(answer.headers().firstValue("Location")).hasValue("./");
  }

  @Test
  void token_that_no_cookie_can_keep_is_refused() throws Exception {
    assertThat(give("t".repeat(2_901)).body()).contains("too long for a cookie");
    assertThat(give("").body()).contains("The form has no token.");
  }
}

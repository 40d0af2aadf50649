package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A body that is not read can be answered by its begin.
@Timeout(60)
class BodyReaderTest {
  private static final int MOST = 100_000;
  private static final int MEMORY = 50_000;

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    vertx.close().await();
    client.close();
  }

  /// Sends the status, the length of the begin and its first byte.
  private static boolean tell(RoutingContext ctx, int status, byte[] begin) {
    ctx.end("%d for %d of %c".formatted(status, begin.length, begin[0]));
    return true;
  }

  private String call(BodyReader.Refusal refusal, String body)
      throws IOException, InterruptedException {
    Intake intake = Intake.ofHeap();
    BodyMemory memory = new BodyMemory(MEMORY);
    Router router = Router.router(vertx);
    router
        .route()
        .failureHandler(ctx -> ctx.response().setStatusCode(ctx.statusCode()).end())
        .handler(ctx -> {
          ctx.put(BodyReader.CALLER, new Caller("10.0.0.1", true));
          ctx.next();
        })
        .handler(
            new BodyReader(
                MOST,
                intake,
                _ -> memory,
                (ctx, read) -> ctx.end("read " + read.length()),
                refusal));
    HttpServer server = vertx.createHttpServer().requestHandler(router).listen(0).await();
    URI uri = URI.create("http://127.0.0.1:%d/".formatted(server.actualPort()));
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .version(HttpClient.Version.HTTP_1_1)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    var answer = client.send(request, BodyHandlers.ofString());
    return answer.statusCode() == 200 ? answer.body() : "status " + answer.statusCode();
  }

  @ParameterizedTest
  @CsvSource({
    "100, read 100",
    "50000, read 50000",
    "50001, 503 for 4096 of x",
    "100001, 413 for 4096 of x"
  })
  void refused_body_is_answered_by_its_begin(int length, String told)
      throws IOException, InterruptedException {
    BodyReader.Refusal refusal = new BodyReader.Refusal(4_096, BodyReaderTest::tell);
    assertThat(call(refusal, "x".repeat(length))).isEqualTo(told);
  }

  @Test
  void body_that_ends_within_its_begin_is_answered_by_all_of_it()
      throws IOException, InterruptedException {
    BodyReader.Refusal refusal = new BodyReader.Refusal(MOST, BodyReaderTest::tell);
    assertThat(call(refusal, "x".repeat(60_000))).isEqualTo("503 for 60000 of x");
  }

  @Test
  void status_is_the_answer_to_a_begin_that_has_none() throws IOException, InterruptedException {
    BodyReader.Refusal refusal = new BodyReader.Refusal(4_096, (_, _, _) -> false);
    assertThat(call(refusal, "x".repeat(100_001))).isEqualTo("status 413");
  }
}

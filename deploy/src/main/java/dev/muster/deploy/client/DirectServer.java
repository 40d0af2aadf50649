package dev.muster.deploy.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/// A Muster that is reached at an address, without a cluster in between.
final class DirectServer implements PageSource {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final URI address;
  private final Optional<String> token;
  private final Duration patience;
  private final HttpClient http;

  /// @param address for example `http://127.0.0.1:8888`
  /// @param trust authorities of its certificate; absent: those of the JDK
  /// @throws IllegalArgumentException if this is no such address, or the token would be readable on
  ///   the way
  DirectServer(String address, Optional<String> token, Optional<SSLContext> trust) {
    this(address, token, trust, PATIENCE);
  }

  /// @param patience time limit of a call, from the connection to the end of the answer
  DirectServer(
      String address, Optional<String> token, Optional<SSLContext> trust, Duration patience) {
    this.address = checked(address);
    this.token = token;
    this.patience = patience;
    if (token.isPresent()
        && this.address.getScheme().equalsIgnoreCase("http")
        && !HERE.contains(this.address.getHost())) {
      throw new IllegalArgumentException(
          "A token is a password. It is not sent to %s without https.".formatted(address));
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(patience);
    trust.ifPresent(builder::sslContext);
    http = builder.build();
  }

  private static URI checked(String text) {
    try {
      URI address = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
      if (address.getHost() != null && Set.of("http", "https").contains(scheme)) {
        return address;
      }
    } catch (URISyntaxException _) {
      throw wrong(text);
    }
    throw wrong(text);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "\"%s\" is not the address of a server, such as http://127.0.0.1:8888.".formatted(text));
  }

  @Override
  public JsonNode get(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + path)).timeout(patience);
    token.ifPresent(text -> request.header("Authorization", "Bearer " + text));
    try {
      HttpResponse<String> answer = send(request.build());
      JsonNode body = MAPPER.readTree(answer.body());
      if (answer.statusCode() == 200) {
        return PageProblem.checked(body, path, address.toString());
      }
      throw new PageProblem(
          answer.statusCode(),
          body.path("error").asText("%s answers %d.".formatted(address, answer.statusCode())));
    } catch (JsonProcessingException _) {
      throw new PageProblem(0, "%s answers, but not as Muster does.".formatted(address));
    } catch (IOException e) {
      throw new PageProblem(0, "Muster does not answer at %s: %s.".formatted(address, reason(e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PageProblem(0, "Interrupted.");
    }
  }

  /// The time limit of a request ends when its answer begins. This one ends with the answer.
  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    var asked = http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    try {
      return asked.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw new IOException("no whole answer within %d s".formatted(patience.toSeconds()));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException problem ? problem : new IOException(e);
    } finally {
      asked.cancel(true);
    }
  }

  private static String reason(IOException problem) {
    String message = problem.getMessage();
    if (message == null && problem instanceof ConnectException) {
      return "nobody listens there";
    }
    return message == null ? "the connection was closed" : message;
  }

  @Override
  public Optional<String> namespace() {
    return Optional.empty();
  }

  @Override
  public Optional<WorkloadPods> workloads() {
    return Optional.empty();
  }

  @Override
  public void close() {
    http.shutdownNow(); // ends a call that waits on another thread, so that nobody waits for it
  }
}

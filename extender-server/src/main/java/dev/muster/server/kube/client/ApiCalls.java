package dev.muster.server.kube.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.core.decision.MessageLimit;
import dev.muster.server.fair.FairSemaphore;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/// Single calls to the API server: one request each, without hidden reads or retries.
///
/// The number of concurrent calls is the limit of the API server for one HTTP/2 connection: beyond
/// it, the client would reject calls. With HTTP/1.1, each call has its own connection. Namespaces
/// share the calls fairly, and one has three quarters of them at most: a tenant can make its calls
/// slow.
public final class ApiCalls {
  static final String JSON = "application/json";
  private static final String METADATA =
      JSON + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + JSON;
  public static final String MERGE = "application/merge-patch+json";
  public static final String STRATEGIC = "application/strategic-merge-patch+json";

  private static final int WITHHELD = -1;
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final int AT_ONCE = 90;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpClient http;
  private final String base;
  private final Duration patience;
  private final Supplier<Duration> writeTime;
  private final FairSemaphore calls = new FairSemaphore(AT_ONCE, AT_ONCE * 3 / 4);

  /// Creates calls that may always write.
  public ApiCalls(KubernetesClient client) {
    this(client, () -> PATIENCE);
  }

  /// @param writeTime longest time that a write may take, queried right before it is sent, also
  ///   after a wait for a free slot. While it is zero, writes fail like calls without an answer.
  public ApiCalls(KubernetesClient client, Supplier<Duration> writeTime) {
    this(client, PATIENCE, writeTime);
  }

  /// @param patience time limit of a call
  ApiCalls(KubernetesClient client, Duration patience, Supplier<Duration> writeTime) {
    this.patience = patience;
    this.writeTime = writeTime;
    var once = new RequestConfigBuilder().withRequestRetryBackoffLimit(0).build();
    http = client.getHttpClient().newBuilder().tag(once).build();
    String url = client.getMasterUrl().toString();
    base = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  /// Returns the address of the API server.
  String address() {
    return base;
  }

  /// The answer of the API server to a call.
  ///
  /// @param code HTTP status; 0 without an answer, -1 if no request was sent
  /// @param body the object, a Status, or the description of a connection error; of the answer of a
  ///   write, the first 256 KiB
  /// @param excessive true if the code is 0 because the answer was too long, or did not come in
  ///   time; false for a broken connection
  public record Answer(int code, String body, boolean excessive) {
    /// Creates an answer that is not excessive.
    public Answer(int code, String body) {
      this(code, body, false);
    }

    /// Returns the answer of a request that was not sent, for this reason.
    public static Answer unsent(String problem) {
      return new Answer(WITHHELD, problem);
    }

    public boolean isGood() {
      return code >= 200 && code < 300;
    }

    /// True if the object that the request meant does not exist, even if one of its name does.
    public boolean isGone() {
      return code == 404 || isReplaced();
    }

    /// True if the request states the uid of an object that another one has replaced under its
    /// name. A request with the uid of the new object may succeed.
    public boolean isReplaced() {
      return code == 422
          && json()
              .path("details")
              .path("causes")
              .valueStream()
              .anyMatch(cause -> cause.path("field").asText().equals("metadata.uid"));
    }

    /// True if a retry may succeed: no answer, too many requests, or an error in the server.
    public boolean isPassing() {
      return code <= 0 || code == 429 || (code >= 500 && !isTooLarge());
    }

    /// True if the object, or a rule about it, refuses the request, so that a retry fails too. Its
    /// owner may have filled the object.
    public boolean isRefusal() {
      return code == 400
          || code == 403
          || code == 413
          || (code == 422 && !isReplaced())
          || isTooLarge();
    }

    /// True if the object would become larger than etcd accepts. The API server has no answer of
    /// its own for that: the first text is of etcd, the second of the client for it.
    public boolean isTooLarge() {
      return code == 500
          && (body.contains("request is too large")
              || body.contains("trying to send message larger than max"));
    }

    /// Returns the status of a [refusal][#isRefusal]; empty for other answers.
    public Optional<Integer> refusal() {
      return isRefusal() ? Optional.of(code) : Optional.empty();
    }

    public JsonNode json() {
      try {
        return MAPPER.readTree(body);
      } catch (JsonProcessingException _) {
        return MissingNode.getInstance();
      }
    }

    /// Returns the error in one line.
    public String problem() {
      return MessageLimit.cut(
          switch (code) {
            case WITHHELD -> body;
            case 0 -> "No answer from the API server: " + body;
            default -> code + " " + json().path("message").asText(body);
          });
    }
  }

  public Answer patch(String path, String contentType, JsonNode body) {
    return call("PATCH", path, contentType, body);
  }

  public Answer post(String path, JsonNode body) {
    return call("POST", path, JSON, body);
  }

  public Answer delete(String path, JsonNode options) {
    return call("DELETE", path, JSON, options);
  }

  public Answer get(String path) {
    return get(path, ApiStream.LONGEST);
  }

  /// Sends a GET. A longer answer counts as none.
  ///
  /// @param most bytes of the answer
  public Answer get(String path, int most) {
    return send(path, accepting(JSON, path), () -> patience, stream -> stream.answer(most));
  }

  /// Lists objects with their metadata alone.
  public Answer metadata(String path) {
    return metadata(path, ApiStream.LONGEST);
  }

  /// Lists objects with their metadata alone. A longer answer counts as none.
  ///
  /// @param most bytes of the answer
  public Answer metadata(String path, int most) {
    return send(path, accepting(METADATA, path), () -> patience, stream -> stream.answer(most));
  }

  /// Sends a GET with one more header.
  public Answer get(String path, String header, String value) {
    HttpRequest.Builder call = accepting(JSON, path).header(header, value);
    return send(path, call, () -> patience, ApiCalls::whole);
  }

  private static Answer whole(ApiStream stream) {
    return stream.answer(ApiStream.LONGEST);
  }

  private HttpRequest.Builder accepting(String type, String path) {
    return http.newHttpRequestBuilder().uri(base + path).setHeader("Accept", type);
  }

  private Answer call(String method, String path, String contentType, JsonNode body) {
    return send(
        path,
        accepting(JSON, path)
            .method(method, contentType, body.toString())
            .setHeader("Content-Type", contentType),
        writeTime,
        ApiStream::outcome);
  }

  private Answer send(
      String path,
      HttpRequest.Builder call,
      Supplier<Duration> time,
      Function<ApiStream, Answer> read) {
    String namespace = ResourcePaths.namespace(path);
    boolean begun = false;
    try {
      calls.acquire(namespace);
      begun = true;
      Duration left = time.get();
      if (!left.isPositive()) {
        return new Answer(WITHHELD, "Request not sent: another Muster may be the leader by now");
      }
      try (ApiStream stream = begin(call, left.compareTo(patience) < 0 ? left : patience)) {
        return read.apply(stream);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new Answer(0, "interrupted");
    } finally {
      if (begun) {
        calls.release(namespace);
      }
    }
  }

  /// Sends a GET and returns its answer as soon as it begins. The caller closes it.
  ///
  /// @param limit time limit until the answer begins
  ApiStream open(String path, Duration limit) {
    return begin(accepting(JSON, path), limit);
  }

  private ApiStream begin(HttpRequest.Builder call, Duration limit) {
    HttpRequest request = call.timeout(limit.toMillis(), TimeUnit.MILLISECONDS).build();
    var asked = http.sendAsync(request, InputStream.class);
    try {
      var response = asked.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return new ApiStream(response.code(), response.body(), limit);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      return ApiErrorText.isLate(cause)
          ? ApiStream.late(limit)
          : ApiStream.failed(ApiErrorText.reason(cause));
    } catch (TimeoutException _) {
      asked.cancel(true); // an answer that still comes is closed
      return ApiStream.late(limit);
    } catch (InterruptedException _) {
      asked.cancel(true);
      Thread.currentThread().interrupt();
      return ApiStream.failed("interrupted");
    }
  }
}

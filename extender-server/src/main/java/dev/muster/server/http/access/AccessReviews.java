package dev.muster.server.http.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.muster.server.fair.FairSemaphore;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.PodGroupDialect;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Asks the API server who a caller is, and what the caller may list. Answers are kept for 30 s.
///
/// Few reviews are under way at one time, because strangers cause them, and equal ones are asked
/// once. Waiting ones take turns, fairly by the address of the caller. Users of one address share
/// its turns: each has few questions in line, however many pages it asks for. Tokens are kept only
/// as digests.
final class AccessReviews {
  /// The time for which an answer is kept.
  static final Duration KEPT = Duration.ofSeconds(30);

  private static final int MOST_CALLERS = 4_096;
  private static final int MOST_RIGHTS = 100_000;
  private static final int AT_ONCE = 8;

  /// The minimum time of a review of rights: at most 1,000 a second. Any token without rights
  /// causes one for each namespace with gangs.
  private static final Duration PACE = Duration.ofMillis(8);

  /// The minimum time of a review of a new token, which anyone can invent: at most 80 a second.
  private static final Duration TOKEN_PACE = Duration.ofMillis(50);

  private static final int TOKENS_AT_ONCE = 4;

  /// An extra of ServiceAccount tokens that differs for each token of one user.
  private static final String CREDENTIAL = "authentication.kubernetes.io/credential-id";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final BiFunction<String, ObjectNode, ApiCalls.Answer> api;
  private final LongSupplier nanoTime;
  private final Delay delay;
  private final FairSemaphore reviews = new FairSemaphore(AT_ONCE);
  private final FairSemaphore tokens = new FairSemaphore(TOKENS_AT_ONCE);
  private final KeptAnswers<String, Known<Optional<ObjectNode>>> callers =
      new KeptAnswers<>(MOST_CALLERS, KEPT, Known::since, Ticker.systemTicker());
  private final KeptAnswers<Right, Known<Boolean>> rights =
      new KeptAnswers<>(MOST_RIGHTS, KEPT, Known::since, Ticker.systemTicker());
  private final Cache<Line, Semaphore> lines =
      Caffeine.newBuilder().maximumSize(MOST_CALLERS).expireAfterAccess(KEPT).build();

  /// @param api posts an object to a path of the API server, for these reviews alone
  AccessReviews(BiFunction<String, ObjectNode, ApiCalls.Answer> api) {
    this(api, System::nanoTime, AccessReviews::later);
  }

  /// @param nanoTime clock
  /// @param delay runs work later
  AccessReviews(
      BiFunction<String, ObjectNode, ApiCalls.Answer> api, LongSupplier nanoTime, Delay delay) {
    this.api = api;
    this.nanoTime = nanoTime;
    this.delay = delay;
  }

  /// Runs work on another thread, after a time that may be negative.
  @FunctionalInterface
  interface Delay {
    void run(Duration after, Runnable work);
  }

  /// The questions about a user that an address caused.
  private record Line(String address, ObjectNode user) {}

  /// A question about the rights of a user.
  ///
  /// @param user the fields of a SubjectAccessReview that identify the user; never modified
  /// @param namespace empty for all namespaces
  private record Right(ObjectNode user, String namespace, String group, String resource) {}

  /// An answer of the API server.
  ///
  /// @param since when it came, by `System.nanoTime()`
  record Known<T>(T answer, long since) {
    private static <T> Known<T> now(T answer) {
      return new Known<>(answer, System.nanoTime());
    }
  }

  /// The API server answers no review.
  static final class NoReview extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoReview(String problem) {
      super(problem);
    }

    /// Returns the reason, with the remedy.
    String problem() {
      return String.valueOf(getMessage());
    }
  }

  /// Returns the user of a token; empty if the API server does not accept it.
  ///
  /// @param address address of the caller
  /// @throws NoReview if the API server does not answer
  Known<Optional<ObjectNode>> user(String address, String token) throws InterruptedException {
    return callers.get(
        digest(token), () -> inTurn(tokens, address, TOKEN_PACE, () -> Known.now(reviewed(token))));
  }

  /// Returns the result of a review when the turn of the address comes.
  ///
  /// @param pace time until the turn of the next one, at least
  private <T> T inTurn(FairSemaphore turns, String address, Duration pace, Supplier<T> review)
      throws InterruptedException {
    turns.acquire(address);
    long begun = nanoTime.getAsLong();
    try {
      return review.get();
    } finally {
      Duration took = Duration.ofNanos(nanoTime.getAsLong() - begun);
      delay.run(pace.minus(took), () -> turns.release(address));
    }
  }

  private static void later(Duration after, Runnable work) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            Thread.sleep(after); // not at all, if negative
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          } finally {
            work.run();
          }
        });
  }

  private Optional<ObjectNode> reviewed(String token) {
    ObjectNode review = JsonBodies.object();
    review.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    ObjectNode spec = review.putObject("spec").put("token", token);
    if (isForPages(token)) {
      spec.putArray("audiences").add(PageAccess.AUDIENCE);
    }
    JsonNode status = status("/apis/authentication.k8s.io/v1/tokenreviews", review);
    return status.path("authenticated").asBoolean()
        ? Optional.of(identity(status.path("user")))
        : Optional.empty();
  }

  /// True if the token says that it is for these pages. The API server accepts such a token only
  /// when asked for this audience, so one that leaks opens nothing else.
  private static boolean isForPages(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return false;
    }
    try {
      JsonNode audience = MAPPER.readTree(Base64.getUrlDecoder().decode(parts[1])).path("aud");
      return audience.asText().equals(PageAccess.AUDIENCE)
          || audience.valueStream().anyMatch(each -> each.asText().equals(PageAccess.AUDIENCE));
    } catch (IOException | IllegalArgumentException _) { // no JSON web token
      return false;
    }
  }

  private static ObjectNode identity(JsonNode user) {
    ObjectNode identity = JsonBodies.object();
    identity.put("user", user.path("username").asText());
    identity.put("uid", user.path("uid").asText());
    user.path("groups").forEach(identity.putArray("groups")::add);
    ObjectNode extra = identity.putObject("extra");
    user.path("extra").properties().stream()
        .filter(entry -> !entry.getKey().equals(CREDENTIAL))
        .forEach(entry -> extra.set(entry.getKey(), entry.getValue()));
    return identity;
  }

  /// True if the user may list PodGroups in all namespaces.
  Known<Boolean> mayListPodGroups(String address, ObjectNode user, String group)
      throws InterruptedException {
    return may(address, new Right(user, "", group, PodGroupDialect.PLURAL));
  }

  /// True if the user may list the PodGroups of the scope.
  Known<Boolean> mayListPodGroups(String address, ObjectNode user, GangScope scope)
      throws InterruptedException {
    return may(address, new Right(user, scope.namespace(), scope.group(), PodGroupDialect.PLURAL));
  }

  Known<Boolean> mayListNodes(String address, ObjectNode user) throws InterruptedException {
    return may(address, new Right(user, "", "", "nodes"));
  }

  private Known<Boolean> may(String address, Right right) throws InterruptedException {
    return rights.get(right, () -> inLine(address, right));
  }

  private Known<Boolean> inLine(String address, Right right) throws InterruptedException {
    Semaphore line =
        lines.get(new Line(address, right.user()), _ -> new Semaphore(AT_ONCE, /* fair */ true));
    line.acquire();
    try {
      return inTurn(reviews, address, PACE, () -> Known.now(reviewed(right)));
    } finally {
      line.release();
    }
  }

  private boolean reviewed(Right right) {
    ObjectNode review = JsonBodies.object();
    review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
    ObjectNode spec = right.user().deepCopy();
    spec.putObject("resourceAttributes")
        .put("verb", "list")
        .put("namespace", right.namespace())
        .put("group", right.group())
        .put("resource", right.resource());
    review.set("spec", spec);
    return status("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        .path("allowed")
        .asBoolean();
  }

  /// Posts a review, and returns its status. An answer of another kind, as a proxy may give, is no
  /// answer of the API server.
  private JsonNode status(String path, ObjectNode review) {
    ApiCalls.Answer answer = api.apply(path, review);
    if (answer.isGood()) {
      JsonNode reviewed = answer.json();
      if (reviewed.path("kind").equals(review.path("kind")) && reviewed.path("status").isObject()) {
        return reviewed.path("status");
      }
      throw new NoReview(
          "The answer to a %s is not one: something between Muster and the API server answers. Scheduling does not depend on this."
              .formatted(review.path("kind").asText()));
    }
    throw new NoReview(
        answer.code() == 403
            ? "Muster may not ask the API server about your rights. Apply deploy/manifests/server of this version."
            : "The API server does not say who you are and what you may see. Scheduling does not depend on this. "
                + answer.problem());
  }

  private static String digest(String token) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256.", impossible);
    }
  }
}

package dev.muster.server.http.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.server.http.receive.FairSemaphore;
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

/// Asks the API server who a caller is, and what the caller may list. Answers are kept for 30 s.
///
/// Few reviews are under way at one time, because strangers cause them. Waiting ones take turns,
/// fairly by the address of the caller. Tokens are kept only as digests.
final class AccessReviews {
  private static final Duration KEPT = Duration.ofSeconds(30);
  private static final int MOST_CALLERS = 4_096;
  private static final int MOST_RIGHTS = 100_000;
  private static final int AT_ONCE = 8;

  /// The minimum time of a review of a new token, which anyone can invent: at most 80 a second.
  private static final Duration PACE = Duration.ofMillis(50);

  private static final int TOKENS_AT_ONCE = 4;

  /// An extra of ServiceAccount tokens that differs for each token of one user.
  private static final String CREDENTIAL = "authentication.kubernetes.io/credential-id";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final ApiCalls api;
  private final FairSemaphore reviews = new FairSemaphore(AT_ONCE);
  private final FairSemaphore tokens = new FairSemaphore(TOKENS_AT_ONCE);
  private final Cache<String, Optional<ObjectNode>> callers = cache(MOST_CALLERS);
  private final Cache<Right, Boolean> rights = cache(MOST_RIGHTS);

  /// @param api calls of these reviews alone
  AccessReviews(ApiCalls api) {
    this.api = api;
  }

  private static <K, V> Cache<K, V> cache(int most) {
    return Caffeine.newBuilder().maximumSize(most).expireAfterWrite(KEPT).build();
  }

  /// A question about the rights of a user.
  ///
  /// @param user the fields of a SubjectAccessReview that identify the user; never modified
  /// @param namespace empty for all namespaces
  private record Right(ObjectNode user, String namespace, String group, String resource) {}

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
  Optional<ObjectNode> user(String address, String token) throws InterruptedException {
    String digest = digest(token);
    Optional<ObjectNode> known = callers.getIfPresent(digest);
    if (known != null) {
      return known;
    }
    tokens.acquire(address);
    try {
      Optional<ObjectNode> again = callers.getIfPresent(digest); // another call may have asked
      if (again != null) {
        return again;
      }
      Optional<ObjectNode> found = reviewed(token);
      callers.put(digest, found);
      return found;
    } finally {
      Thread.ofVirtual().start(this::freeToken);
    }
  }

  private void freeToken() {
    try {
      Thread.sleep(PACE);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      tokens.release();
    }
  }

  private Optional<ObjectNode> reviewed(String token) {
    ObjectNode review = JsonBodies.object();
    review.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    ObjectNode spec = review.putObject("spec").put("token", token);
    if (isForPages(token)) {
      spec.putArray("audiences").add(PageAccess.AUDIENCE);
    }
    JsonNode status = post("/apis/authentication.k8s.io/v1/tokenreviews", review).path("status");
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
  boolean mayListPodGroups(String address, ObjectNode user, String group)
      throws InterruptedException {
    return may(address, new Right(user, "", group, PodGroupDialect.PLURAL));
  }

  /// True if the user may list the PodGroups of the scope.
  boolean mayListPodGroups(String address, ObjectNode user, GangScope scope)
      throws InterruptedException {
    return may(address, new Right(user, scope.namespace(), scope.group(), PodGroupDialect.PLURAL));
  }

  boolean mayListNodes(String address, ObjectNode user) throws InterruptedException {
    return may(address, new Right(user, "", "", "nodes"));
  }

  private boolean may(String address, Right right) throws InterruptedException {
    Boolean known = rights.getIfPresent(right);
    if (known != null) {
      return known;
    }
    reviews.acquire(address);
    try {
      boolean allowed = reviewed(right);
      rights.put(right, allowed);
      return allowed;
    } finally {
      reviews.release();
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
    return post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
        .path("status")
        .path("allowed")
        .asBoolean();
  }

  private JsonNode post(String path, ObjectNode review) {
    ApiCalls.Answer answer = api.post(path, review);
    if (answer.isGood()) {
      return answer.json();
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

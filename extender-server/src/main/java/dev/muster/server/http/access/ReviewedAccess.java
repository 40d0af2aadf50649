package dev.muster.server.http.access;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.muster.server.http.access.AccessReviews.Known;
import dev.muster.server.kube.client.ApiCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets a caller see what Kubernetes lets it list: gangs by the PodGroups of their namespace, nodes
/// by the nodes. The caller shows a bearer token of the cluster.
public final class ReviewedAccess implements PageAccess, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReviewedAccess.class);

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final String SCHEME = "bearer ";

  /// The most questions of one request that wait at one time. Each has a virtual thread.
  private static final int AT_ONCE = 8;

  private static final int MOST_VIEWS = 1_024;

  private final AccessReviews reviews;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final BoundedTasks questions = new BoundedTasks(threads, AT_ONCE, PATIENCE);
  private final KeptAnswers<Viewer, Granted> views =
      new KeptAnswers<>(MOST_VIEWS, AccessReviews.KEPT, Granted::since, Ticker.systemTicker());

  /// @param client client of these reviews alone, so that they delay no other call
  public ReviewedAccess(KubernetesClient client) {
    this.reviews = new AccessReviews(new ApiCalls(client)::post);
  }

  /// A question that takes one review for each scope. Its answer is kept, so that most pages cost
  /// the same in a cluster of thousands of namespaces.
  private record Viewer(ObjectNode user, Set<GangScope> asked) {}

  @Override
  public void decide(Request request, Consumer<Answer> answer) {
    Optional<String> token = request.authorization().flatMap(ReviewedAccess::token);
    if (token.isEmpty()) {
      answer.accept(
          new Denied(
              401,
              "This page needs a token of the cluster: -H \"Authorization: Bearer $(kubectl create token default)\". You then see what Kubernetes lets you list."));
    } else {
      threads.execute(() -> answer.accept(decided(token.get(), request)));
    }
  }

  private static Optional<String> token(String authorization) {
    return authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        ? Optional.of(authorization.substring(SCHEME.length()).strip())
            .filter(text -> !text.isEmpty())
        : Optional.empty();
  }

  private Answer decided(String token, Request request) {
    try {
      String address = request.address();
      Known<Optional<ObjectNode>> user = result(() -> reviews.user(address, token));
      if (user.answer().isEmpty()) {
        return new Denied(401, "The API server does not accept this token. It may have expired.");
      }
      Viewer viewer = new Viewer(user.answer().get(), request.scopes().get());
      Granted view = result(() -> views.get(viewer, () -> view(address, viewer)));
      return new Granted(view.view(), Math.min(user.since(), view.since()));
    } catch (AccessReviews.NoReview problem) {
      return new Denied(503, problem.problem());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new Denied(503, "Muster is shutting down.");
    } catch (RuntimeException | Error bug) {
      log.error("The review of a caller failed", bug);
      return new Denied(500, "Internal error. The log of the server has the details.");
    }
  }

  private <T> T result(Callable<T> question) throws InterruptedException {
    return results(List.of(question)).getFirst();
  }

  private <T> List<T> results(List<Callable<T>> asked) throws InterruptedException {
    try {
      return questions.results(asked);
    } catch (TimeoutException _) {
      throw new AccessReviews.NoReview(
          "The API server reviews too slowly. Try again later: its answers are kept for 30 s.");
    }
  }

  private Granted view(String address, Viewer viewer) throws InterruptedException {
    ObjectNode user = viewer.user();
    List<String> all = List.copyOf(GangScope.GROUPS);
    List<Callable<Known<Boolean>>> wide = new ArrayList<>();
    all.forEach(group -> wide.add(() -> reviews.mayListPodGroups(address, user, group)));
    wide.add(() -> reviews.mayListNodes(address, user));
    List<Known<Boolean>> rights = results(wide);
    Set<String> groups = new HashSet<>();
    for (int i = 0; i < all.size(); i++) {
      if (rights.get(i).answer()) {
        groups.add(all.get(i));
      }
    }
    List<GangScope> open =
        viewer.asked().stream().filter(scope -> !groups.contains(scope.group())).toList();
    List<Callable<Known<Boolean>>> narrow = new ArrayList<>();
    open.forEach(scope -> narrow.add(() -> reviews.mayListPodGroups(address, user, scope)));
    List<Known<Boolean>> seen = results(narrow);
    Set<GangScope> scopes = new HashSet<>();
    for (int i = 0; i < open.size(); i++) {
      if (seen.get(i).answer()) {
        scopes.add(open.get(i));
      }
    }
    long since = Math.min(oldest(rights), oldest(seen));
    return new Granted(new PageView(groups, scopes, rights.getLast().answer()), since);
  }

  private static long oldest(List<Known<Boolean>> answers) {
    return answers.stream().mapToLong(Known::since).min().orElse(Long.MAX_VALUE);
  }

  /// Ends all reviews.
  @Override
  public void close() {
    threads.shutdownNow();
  }
}

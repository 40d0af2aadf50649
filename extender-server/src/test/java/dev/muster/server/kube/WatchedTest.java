package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchedTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Instant LATE = NOW.plus(Silence.PATIENCE);
  private static final Api.Answer NOTHING = new Api.Answer(200, "");
  private static final Api.Answer SOMETHING = new Api.Answer(200, "{}");
  private static final Api.Answer NONE = new Api.Answer(0, "away");

  @AutoClose private final MockApi api = new MockApi();
  private final KubernetesClient client = api.client();
  private final SlimStore<Namespace> store = SlimStore.of();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();
  private final AtomicInteger started = new AtomicInteger();
  private final List<String> asked = new ArrayList<>();
  private Api.Answer answer = NOTHING;

  @AutoClose private final Watched<Namespace> namespaces = watched("a", "bad", "c");

  private final class Choosy implements Watched.Sink<Namespace> {
    @Override
    public void seen(String key, Namespace object) {
      if (key.equals("bad")) {
        throw new ArithmeticException("on purpose");
      }
      seen.add(key);
    }

    @Override
    public void gone(String key) {
      gone.add(key);
    }
  }

  private Kind<Namespace> kind() {
    return new Kind<>(
        "namespaces",
        () -> {
          started.incrementAndGet();
          return client.namespaces().runnableInformer(0);
        },
        version -> {
          asked.add(version);
          return answer;
        });
  }

  private Watched<Namespace> watched(String... names) {
    for (String name : names) {
      client.namespaces().resource(namespace(name)).create();
    }
    var watched = new Watched<>(kind(), store, new Choosy());
    await().until(() -> watched.isSynced() && seen.containsAll(Set.of("a", "c")));
    seen.clear();
    return watched;
  }

  private static Namespace namespace(String name) {
    return new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  /// Looks at it, once it is up, when it has been silent for as long as it may be.
  private void listenLate() {
    listen(NOW);
    listen(LATE);
  }

  private void listen(Instant now) {
    await().until(() -> !namespaces.isLost());
    namespaces.listen(now);
  }

  @Test
  void anObjectThatMakesNoSenseHidesNoOther() {
    namespaces.reconcile();

    assertThat(seen).containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void aWatchThatWasSilentButMissedNothingGoesOn() {
    listenLate();

    assertThat(asked).hasSize(1);
    assertThat(started).hasValue(1);
  }

  @Test
  void aSilentWatchThatMissedSomethingIsStartedAnew() {
    answer = SOMETHING;

    listenLate();

    assertThat(started).hasValue(2);
    await().until(() -> namespaces.isSynced() && !namespaces.isLost());
  }

  @Test
  void aSilentWatchOfWhichNothingIsKnownIsAskedAboutAgain() {
    answer = NONE;
    listenLate();
    answer = SOMETHING;

    listen(LATE.plusSeconds(5));

    assertThat(asked).hasSize(2);
    assertThat(started).hasValue(2);
  }

  @Test
  void whatWasPassedOnIsNotCaughtUpWith() {
    namespaces.catchUp();

    assertThat(seen).isEmpty();
  }

  /// As at the start, when notices of all that was listed are still to come.
  @Test
  void aNoticeOfWhatWasCaughtUpWithIsNotPassedOnAgain() {
    synchronized (namespaces) { // notices wait for it
      client.namespaces().resource(namespace("late")).create();
      await().until(() -> store.get("late") != null);
      namespaces.catchUp();
      assertThat(seen).containsExactly("late");
      seen.clear();
    }
    client.namespaces().resource(namespace("last")).create();

    await().until(() -> seen.contains("last"));
    assertThat(seen).containsExactly("last");
  }

  @Test
  void whatWasNotPassedOnIsCaughtUpWith() {
    var changed = namespace("a");
    changed.getMetadata().setResourceVersion("changed");
    store.put("a", changed);
    store.remove("c");

    namespaces.catchUp();

    assertThat(seen).containsExactly("a");
    assertThat(gone).containsExactly("c");
  }

  @Test
  void whatIsFollowedElsewhereIsCaughtUpWith() {
    namespaces.follow(kind());
    await().until(() -> namespaces.isSynced() && !namespaces.isLost());

    namespaces.catchUp();

    assertThat(seen).containsExactlyInAnyOrder("a", "c");
  }
}

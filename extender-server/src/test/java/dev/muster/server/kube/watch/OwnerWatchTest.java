package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A watch of owners that is not listed yet, or may not be; and single owners that it has not seen.
@Timeout(60)
class OwnerWatchTest {
  private static final String SERVED = "jobset.x-k8s.io/v1alpha2/JobSet";
  private static final OwnerKey TRAIN = new OwnerKey("JobSet", "ml", "train");
  private static final String IN_NAMESPACE = "/namespaces/ml/jobsets";
  private static final Reply NOTHING = list("");

  @AutoClose private final ScriptedApi api = new ScriptedApi();
  @AutoClose private final KubernetesClient client = api.client();
  private final ApiCalls calls = new ApiCalls(client);
  private volatile Instant now = Instant.parse("2026-11-01T12:00:00Z");
  private volatile Reply all = NOTHING;
  private volatile Reply one = NOTHING;
  private final InstantSource clock = () -> now;
  private final OwnerWatch watch =
      OwnerWatch.of(
          kind("JobSet"),
          OwnerGangs.none(),
          new OwnerWatch.Ends(
              client,
              SERVED::equals,
              new WatchHealth(clock),
              new ObjectProblems(() -> true, _ -> {}),
              TrimmedStore.ownerSpace(),
              clock));

  private static OwnerKind kind(String name) {
    return OwnerKinds.with(List.of()).kinds().stream()
        .filter(kind -> kind.api().kind().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Reply list(String items) {
    return new Reply(
        200, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[%s]}".formatted(items));
  }

  private static Reply refused(int code) {
    return Reply.refused(code, "no");
  }

  @BeforeEach
  void answer() {
    api.answers(call -> call.path().contains(IN_NAMESPACE) ? one : all);
  }

  @AfterEach
  void close() {
    watch.close();
  }

  private void startAndAwait(int lists) {
    watch.check();
    await().until(() -> api.calls("GET", "/jobsets").size() >= lists);
  }

  @Test
  void kind_that_is_not_listed_yet_is_watched() {
    all = refused(500);
    startAndAwait(3);

    assertThat(watch.isWatched()).isTrue();
  }

  @Test
  void scheduling_starts_without_a_kind_whose_list_takes_long() {
    all = refused(500);
    startAndAwait(2);
    assertThat(watch.isReady()).isFalse();
    now = now.plusSeconds(11);

    assertThat(watch.isReady()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404})
  void kind_whose_list_is_refused_is_not_watched(int code) {
    all = refused(code);
    startAndAwait(1);

    await().until(() -> !watch.isWatched());
  }

  @Test
  void kind_is_watched_once_it_may_be_read() {
    all = refused(403);
    startAndAwait(1);
    await().until(() -> !watch.isWatched());
    all = NOTHING;

    await().until(watch::isWatched);
  }

  @Test
  void kind_that_was_listed_stays_watched() {
    startAndAwait(1);
    await().until(watch::isReady);
    all = refused(403);
    int before = api.calls("GET", "/jobsets").size();
    startAndAwait(before + 2);

    assertThat(watch.isWatched()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"'', true", "o1, false", "o2, true", "'*', false"})
  void owner_exists_if_the_list_has_its_uid(String there, boolean absent) {
    watch.check();
    one = there.isEmpty() ? NOTHING : list("{\"metadata\":{\"uid\":\"%s\"}}".formatted(there));

    assertThat(watch.isAbsent(calls, TRAIN, there.equals("*") ? "" : "o1")).isEqualTo(absent);
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404, 429, 500})
  void owner_without_an_answer_is_not_absent(int code) {
    watch.check();
    one = refused(code);

    assertThat(watch.isAbsent(calls, TRAIN, "o1")).isFalse();
  }

  @Test
  void answer_that_is_no_list_says_nothing() {
    watch.check();
    one = new Reply(200, "{}");

    assertThat(watch.isAbsent(calls, TRAIN, "o1")).isFalse();
  }

  @Test
  void owner_of_a_kind_that_may_not_be_read_counts_as_absent() {
    all = refused(403);
    one = refused(403);
    startAndAwait(1);

    await().until(() -> watch.isAbsent(calls, TRAIN, "o1"));
  }

  /// Muster would never see it.
  @Test
  void owner_of_a_kind_that_may_be_listed_but_not_watched_counts_as_absent() {
    AtomicBoolean listed = new AtomicBoolean();
    api.answers(call ->
        call.path().contains(IN_NAMESPACE)
            ? list("{\"metadata\":{\"uid\":\"o1\"}}")
            : listed.getAndSet(true) ? refused(403) : NOTHING);
    startAndAwait(2);

    await().until(() -> watch.isAbsent(calls, TRAIN, "o1"));
    assertThat(watch.isReady()).isTrue();
  }

  /// One of several API servers may be late to know the right.
  @Test
  void owner_is_looked_up_after_a_single_refusal() {
    AtomicInteger asked = new AtomicInteger();
    api.answers(call -> {
      if (call.path().contains(IN_NAMESPACE)) {
        return list("{\"metadata\":{\"uid\":\"o1\"}}");
      }
      return switch (asked.incrementAndGet()) {
        case 1 -> NOTHING;
        case 2 -> refused(403);
        default -> refused(500);
      };
    });
    startAndAwait(4);

    assertThat(watch.isAbsent(calls, TRAIN, "o1")).isFalse();
  }

  @Test
  void owner_is_looked_up_once_its_kind_may_be_read() {
    all = refused(403);
    one = list("{\"metadata\":{\"uid\":\"o1\"}}");
    startAndAwait(1);
    await().until(() -> watch.isAbsent(calls, TRAIN, "o1"));
    all = NOTHING;

    await().until(() -> !watch.isAbsent(calls, TRAIN, "o1"));
  }

  @Test
  void owner_with_a_long_answer_is_not_absent() {
    watch.check();
    one = new Reply(200, NOTHING.body() + " ".repeat(256 << 10));

    assertThat(watch.isAbsent(calls, TRAIN, "o1")).isFalse();
  }

  @Test
  void owner_of_an_impossible_name_is_absent() {
    watch.check();
    one = refused(500);

    assertThat(watch.isAbsent(calls, new OwnerKey("JobSet", "ml", "a/../b"), "o1")).isTrue();
  }

  /// A list of all namespaces would make the API server read all objects.
  @Test
  void list_of_one_owner_states_its_namespace_and_the_selector_of_its_kind() {
    assertThat(kind("Job").api().path("batch/v1", "ml", "sweep"))
        .isEqualTo(
            "/apis/batch/v1/namespaces/ml/jobs?fieldSelector=metadata.name%3Dsweep&labelSelector=muster.dev/gang%3Dtrue");
  }
}

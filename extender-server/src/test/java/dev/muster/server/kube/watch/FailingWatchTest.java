package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.StreamingApi;
import dev.muster.server.kube.watch.WatchHealth.Fault;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A watch whose connection is cut, silent, swallowed or full of nonsense.
@Timeout(60)
class FailingWatchTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Instant LATE = NOW.plus(StalledWatchDetector.PATIENCE);
  private static final String SOMETHING = StreamingApi.change("ADDED", "b", 9);

  @AutoClose private final StreamingApi api = new StreamingApi();
  @AutoClose private final KubernetesClient client = api.client();
  private final TrimmedStore<Namespace> store = TrimmedStore.of();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();
  private final WatchHealth health = new WatchHealth(InstantSource.system());
  private Optional<ResourceWatch<Namespace>> opened = Optional.empty();

  private ResourceWatch<Namespace> watch() {
    return opened.orElseThrow();
  }

  private void start() {
    opened =
        Optional.of(
            new ResourceWatch<>(
                StreamingApi.kind(client),
                store,
                new ResourceWatch.Sink<>() {
                  @Override
                  public void seen(String key, Namespace object) {
                    seen.add(key);
                  }

                  @Override
                  public void gone(String key) {
                    gone.add(key);
                  }
                },
                health));
    await().until(watch()::isSynced);
  }

  private void startWatching() {
    start();
    awaitWatches(1);
  }

  private void awaitWatches(int count) {
    await().until(() -> api.watches.size() == count && watch().blindFor().isZero());
  }

  @AfterEach
  void close() {
    opened.ifPresent(ResourceWatch::close);
  }

  /// Looks at it, once it is up, when it has been silent for as long as it may be.
  private void listenLate() {
    watch().listen(NOW);
    watch().listen(LATE);
  }

  @Test
  void silent_watch_without_missed_changes_continues() {
    startWatching();

    listenLate();

    assertThat(api.checks).hasValue(1);
    assertThat(api.watches).hasSize(1);
    assertThat(health.count(Fault.DEAD)).isZero();
  }

  @Test
  void silent_watch_with_missed_changes_begins_again_from_its_version() {
    startWatching();
    api.missed(SOMETHING);

    listenLate();

    awaitWatches(2);
    assertThat(api.watches).containsExactly("5", "5");
    assertThat(api.lists).hasValue(1);
    assertThat(health.count(Fault.DEAD)).isEqualTo(1);
    assertThat(health.count(Fault.ENDED)).isZero();
  }

  /// Between the check and its answer.
  @Test
  void watch_that_reports_a_change_late_continues() throws IOException {
    startWatching();
    api.missed(SOMETHING);
    watch().listen(NOW);
    Thread listener = Thread.ofVirtual().start(() -> watch().listen(LATE));
    await().until(() -> api.checks.get() == 1);

    api.send(SOMETHING);

    await().until(() -> !listener.isAlive());
    assertThat(api.watches).hasSize(1);
  }

  @Test
  void silent_watch_with_unknown_changes_is_checked_again() {
    startWatching();
    api.missed(SOMETHING);
    api.checked(false);
    listenLate();
    assertThat(api.watches).hasSize(1);
    api.checked(true);

    watch().listen(LATE.plusSeconds(3));

    assertThat(api.checks).hasValue(2);
    awaitWatches(2);
  }

  @Test
  void cut_watch_continues_from_its_version_and_is_never_lost() throws IOException {
    startWatching();
    api.send(StreamingApi.change("ADDED", "a", 7));
    await().until(() -> seen.contains("a"));

    for (int cut = 2; cut < 4; cut++) {
      api.cut();
      awaitWatches(cut);
      assertThat(watch().isLost()).isFalse();
    }

    assertThat(api.watches).containsExactly("5", "7", "7");
    assertThat(api.lists).hasValue(1);
    assertThat(health.count(Fault.ENDED)).isEqualTo(2);
  }

  @Test
  void watch_that_never_begins_is_lost_until_it_does() {
    api.watchesBegin(false);
    start();

    assertThat(watch().isLost()).isTrue();
    await().until(() -> health.count(Fault.REFUSED) > 0);
    assertThat(watch().isLost()).isTrue();
    api.watchesBegin(true);

    await().until(() -> !watch().isLost());
  }

  @Test
  void expired_version_is_listed_again() throws IOException {
    api.has("a", "b");
    startWatching();
    api.has("b", "c");

    api.send("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}\n");

    awaitWatches(2);
    assertThat(seen).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(gone).containsExactly("a");
    assertThat(api.watches).containsExactly("6", "7");
    assertThat(health.count(Fault.REFUSED)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"items\":[]}", "[]", "<html>Sign in first</html>"})
  void answer_that_is_no_list_removes_nothing(String answer) throws IOException {
    api.has("a");
    startWatching();
    api.lists(answer);

    api.send("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}\n");

    await().until(() -> api.lists.get() > 2);
    assertThat(gone).isEmpty();
    api.lists("");
    awaitWatches(2);
  }

  /// A page of objects as large as possible takes the API server longer than it may.
  @Test
  void list_that_fails_is_tried_again_with_smaller_pages() throws IOException {
    startWatching();
    api.lists("{\"metadata\": {\"resourceVersion\": \"7\"}, \"items\": [{");
    api.send("no JSON\n");
    await().until(() -> api.pages.size() > 3);

    assertThat(api.pages).startsWith("limit=1000", "limit=1000", "limit=250", "limit=100");
  }

  @Test
  void line_that_is_no_change_is_followed_by_a_list() throws IOException {
    startWatching();

    api.send("<html>Sign in first</html>\n");

    awaitWatches(2);
    assertThat(api.lists).hasValue(2);
  }

  @Test
  void watches_that_end_at_once_are_followed_by_a_list() {
    startWatching();
    for (int cut = 2; cut < 6; cut++) {
      api.cut();
      awaitWatches(cut);
    }

    assertThat(api.lists).hasValueGreaterThan(1);
  }

  @Test
  void bookmark_moves_the_version() throws IOException {
    startWatching();

    api.send(StreamingApi.change("BOOKMARK", "", 12));

    await()
        .until(() -> { // nothing else tells that it was read
          api.cut();
          return api.watches.contains("12");
        });
    assertThat(seen).isEmpty();
  }

  /// The pieces of an answer end anywhere, also within a letter.
  @Test
  void letters_of_several_bytes_are_read_from_any_pieces() throws IOException {
    startWatching();
    String text = "größe € 😀";
    String change =
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"8\",\"annotations\":{\"note\":\"%s\"}}}}%n"
            .formatted(text);

    for (byte piece : change.getBytes(StandardCharsets.UTF_8)) {
      api.send(new byte[] {piece});
    }
    api.send(StreamingApi.change("ADDED", "b", 9));

    await().until(() -> seen.containsAll(List.of("a", "b")));
    Namespace read = Objects.requireNonNull(store.get("a"));
    assertThat(read.getMetadata().getAnnotations()).containsEntry("note", text);
    assertThat(api.watches).hasSize(1);
  }

  /// The client would gather it until the memory is full.
  @Test
  void endless_line_is_not_gathered() {
    startWatching();
    byte[] piece = new byte[1 << 20];
    Arrays.fill(piece, (byte) 'x');

    await()
        .until(() -> { // until the connection breaks
          try {
            api.send(piece);
            return api.lists.get() > 1;
          } catch (IOException _) {
            return true;
          }
        });

    await().until(() -> health.count(Fault.REFUSED) == 1);
    api.cut();
    await().until(() -> api.lists.get() == 2);
  }

  private static String unreadable(String type, String name, int version) {
    return StreamingApi.change(type, name, version).replace("}}}", "},\"spec\":5}}");
  }

  @Test
  void change_that_cannot_be_read_costs_only_itself() throws IOException {
    api.has("a");
    startWatching();
    Namespace before = store.get("a");

    api.send(unreadable("MODIFIED", "a", 7) + unreadable("ADDED", "new", 8) + SOMETHING);

    await().until(() -> seen.contains("b"));
    assertThat(store.get("a")).isSameAs(before);
    assertThat(store.get("new")).isNull();
    assertThat(api.lists).hasValue(1);
  }

  @Test
  void version_moves_on_over_a_change_that_cannot_be_read() throws IOException {
    startWatching();

    api.send(unreadable("ADDED", "a", 12));

    await()
        .until(() -> { // nothing else tells that it was read
          api.cut();
          return api.watches.contains("12");
        });
  }

  @Test
  void deletion_that_cannot_be_read_is_a_deletion() throws IOException {
    api.has("a");
    startWatching();

    api.send(unreadable("DELETED", "a", 7));

    await().until(() -> gone.contains("a"));
  }
}

package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.MockApi;
import dev.muster.server.kube.client.ResourceKind;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ResourceWatchTest {
  @AutoClose private final MockApi api = new MockApi();
  private final KubernetesClient client = api.client();
  private final TrimmedStore<Namespace> store = TrimmedStore.of();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();

  @AutoClose private final ResourceWatch<Namespace> namespaces = watched("a", "bad", "c");

  private final class Choosy implements ResourceWatch.Sink<Namespace> {
    @Override
    public void seen(String key, Namespace object) {
      if (key.equals("bad")) {
        throw new ArithmeticException("on purpose");
      }
      seen.add(key);
    }

    @Override
    public void gone(String key) {
      if (key.equals("bad")) {
        throw new ArithmeticException("on purpose");
      }
      gone.add(key);
    }
  }

  private ResourceKind<Namespace> kind() {
    return ResourceKind.of("namespaces", client, "/api/v1/namespaces", Namespace.class);
  }

  private ResourceWatch<Namespace> watched(String... names) {
    for (String name : names) {
      client.namespaces().resource(namespace(name)).create();
    }
    var watch =
        new ResourceWatch<>(kind(), store, new Choosy(), new WatchHealth(InstantSource.system()));
    await().until(() -> watch.isSynced() && seen.containsAll(Set.of("a", "c")));
    seen.clear();
    return watch;
  }

  private static Namespace namespace(String name) {
    return new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  @Test
  void malformed_object_hides_no_other() {
    namespaces.reconcile();

    assertThat(seen).containsExactlyInAnyOrder("a", "c");
  }

  /// They may share the memory of other kinds.
  @Test
  void objects_of_an_api_that_is_removed_take_no_memory() {
    namespaces.close(true);

    assertThat(store.size()).isZero();
  }

  @Test
  void object_that_cannot_be_removed_blocks_no_other() {
    namespaces.close(true);

    assertThat(gone).containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void delivered_changes_are_not_replayed() {
    namespaces.catchUp();

    assertThat(seen).isEmpty();
  }

  /// At startup, events of all listed objects are still to come.
  @Test
  void replayed_changes_are_not_delivered_again() {
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
  void undelivered_changes_are_replayed() {
    var changed = namespace("a");
    changed.getMetadata().setResourceVersion("changed");
    store.put("a", changed);
    store.remove("c");

    namespaces.catchUp();

    assertThat(seen).containsExactly("a");
    assertThat(gone).containsExactly("c");
  }

  @Test
  void objects_watched_elsewhere_are_replayed() {
    namespaces.follow(kind());
    await().until(() -> namespaces.isSynced() && !namespaces.isLost());

    namespaces.catchUp();

    assertThat(seen).containsExactlyInAnyOrder("a", "c");
  }
}

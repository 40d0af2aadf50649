package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchedTest {
  @AutoClose private final MockApi api = new MockApi();
  private final KubernetesClient client = api.client();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  private final class Choosy implements Watched.Sink<Namespace> {
    @Override
    public void seen(String key, Namespace object) {
      if (key.equals("bad")) {
        throw new ArithmeticException("on purpose");
      }
      seen.add(key);
    }

    @Override
    public void gone(String key) {}
  }

  @Test
  void anObjectThatMakesNoSenseHidesNoOther() {
    for (String name : new String[] {"a", "bad", "c"}) {
      client
          .namespaces()
          .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
          .create();
    }
    try (var namespaces =
        new Watched<>(
            "namespaces",
            () -> client.namespaces().runnableInformer(0),
            SlimStore.of(),
            new Choosy())) {
      await().until(() -> namespaces.isSynced() && namespaces.get("c").isPresent());
      await().until(() -> seen.contains("c"));
      seen.clear();

      namespaces.reconcile();

      assertThat(seen).containsExactlyInAnyOrder("a", "c");
    }
  }
}

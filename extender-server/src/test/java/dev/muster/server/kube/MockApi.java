package dev.muster.server.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.util.Collections;
import java.util.HashMap;

/// A mock API server that lists and watches; nothing else of it is relied on.
final class MockApi implements AutoCloseable {
  private final KubernetesMockServer server =
      new KubernetesMockServer(
          new Context(),
          new MockWebServer(),
          new HashMap<>(),
          new KubernetesCrudDispatcher(Collections.emptyList()),
          false);
  private final KubernetesClient client;

  MockApi() {
    server.init();
    client = server.createClient();
  }

  KubernetesClient client() {
    return client;
  }

  /// Takes the server away; the client stays.
  void shutdown() {
    server.shutdown();
  }

  @Override
  public void close() {
    client.close();
    server.destroy();
  }
}

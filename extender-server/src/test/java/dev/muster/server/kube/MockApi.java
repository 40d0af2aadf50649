package dev.muster.server.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.util.Collections;
import java.util.HashMap;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A mock API server that lists and watches. Nothing else of it is used.
public final class MockApi implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MockApi.class);

  private final KubernetesMockServer server =
      new KubernetesMockServer(
          new Context(),
          new MockWebServer(),
          new HashMap<>(),
          new KubernetesCrudDispatcher(Collections.emptyList()),
          false);
  private final KubernetesClient client;

  public MockApi() {
    server.init();
    client = server.createClient();
  }

  public KubernetesClient client() {
    return client;
  }

  /// Takes the server away; the client stays.
  public void shutdown() {
    server.shutdown();
  }

  /// Closes the server and ignores a timeout. When a watch ends while an event is sent to it, its
  /// event loop and the sender wait for each other.
  @Override
  public void close() {
    client.close();
    try {
      server.destroy();
    } catch (IllegalStateException stuck) {
      if (!(stuck.getCause() instanceof TimeoutException)) {
        throw stuck;
      }
      log.warn("The mock API server is left behind.", stuck);
    }
  }
}

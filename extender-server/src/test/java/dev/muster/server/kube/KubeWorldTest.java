package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.topology.Topology;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.Leadership;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KubeWorldTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static KubeWorld start(KubernetesClient client) {
    var candidacy =
        new KubeWorld.Candidacy(
            new Leadership.Holder("muster-system", "this one", false), () -> {});
    return KubeWorld.start(
        client,
        candidacy,
        new Mailbox(1000),
        KubeSettings.DEFAULT,
        State.empty(new Topology(List.of()), Policies.DEFAULT));
  }

  @Test
  void nothing_is_watched_before_the_api_server_is_reached() {
    ScriptedApi server = new ScriptedApi();
    try (KubernetesClient client = server.client()) {
      server.close();
      try (KubeWorld world = start(client)) {
        assertThat(world.isWatching()).isFalse();
      }
    }
  }

  @Test
  void leader_watches_after_the_initial_sync() {
    try (MockApi server = new MockApi();
        KubeWorld world = start(server.client())) {
      await().atMost(LONG).until(world::isSynced);
      await().atMost(LONG).until(world::isWatching);
    }
  }

  @Test
  void standby_watches_too() {
    try (MockApi server = new MockApi()) {
      server
          .client()
          .leases()
          .inNamespace("muster-system")
          .resource(
              new LeaseBuilder()
                  .withNewMetadata()
                  .withName("muster")
                  .endMetadata()
                  .withNewSpec()
                  .withHolderIdentity("another")
                  .withLeaseDurationSeconds(3600)
                  .endSpec()
                  .build())
          .create();
      try (KubeWorld world = start(server.client())) {
        await().atMost(LONG).until(world::isWatching);
        assertThat(world.leads()).isFalse();
      }
    }
  }
}

package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.core.gang.MemberId;
import dev.muster.server.kube.KubeInbox;
import dev.muster.server.kube.MockApi;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.loop.Mailbox;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OrphanedGatesTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final MemberId POD = new MemberId("ml", "p", "u1");

  private final List<MemberId> opened = new CopyOnWriteArrayList<>();
  private final OrphanedGates strays = new OrphanedGates(opened::add);

  private void note(MemberId pod, int second) {
    strays.note("ml/p", Optional.of(pod), NOW.plusSeconds(second));
  }

  private void open(int second) {
    strays.open(NOW.plusSeconds(second));
  }

  @Test
  void gate_is_removed_after_a_delay_and_again_while_present() {
    note(POD, 0);
    open(2);
    assertThat(opened).isEmpty();

    note(POD, 2); // told again, it does not start anew
    open(3);
    open(4);
    assertThat(opened).containsExactly(POD);

    open(18);
    assertThat(opened).containsExactly(POD, POD);

    strays.note("ml/p", Optional.empty(), NOW.plusSeconds(19));
    open(60);
    assertThat(opened).hasSize(2);
  }

  @Test
  void another_pod_of_the_same_name_waits_its_own_delay() {
    note(POD, 0);
    note(new MemberId("ml", "p", "u2"), 10);
    open(11);

    assertThat(opened).isEmpty();
  }

  @Test
  void pod_gated_during_an_outage_is_released_by_the_leader() {
    try (MockApi api = new MockApi()) {
      api.client()
          .resource(
              Yaml.pod(
                  """
                  metadata: {namespace: ml, name: p}
                  spec:
                    schedulerName: default-scheduler
                    schedulingGates: [{name: muster.dev/gang}]
                    resourceClaims: [{name: a, resourceClaimName: nowhere}]
                    containers: [{name: main}]
                  """))
          .create();
      var ends =
          new KubeInbox.Ends(
              api.client(),
              _ -> false,
              new Mailbox(1000),
              () -> true,
              _ -> {},
              opened::add,
              InstantSource.system());
      try (var _ = KubeInbox.start(ends, KubeSettings.DEFAULT)) {
        await().atMost(LONG).until(() -> !opened.isEmpty());
      }
      assertThat(opened.getFirst().name()).isEqualTo("p");
    }
  }
}

package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Call;
import dev.muster.server.kube.ScriptedApi.Reply;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeadershipTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PATH = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";

  @AutoClose private final ScriptedApi server = new ScriptedApi();
  @AutoClose private final KubernetesClient client = server.client();
  private Duration passed = Duration.ZERO;
  private final Rival first = new Rival("first");
  private final Rival second = new Rival("second");
  private Optional<ObjectNode> lease = Optional.empty();
  private boolean away;
  private int version;

  /// A Muster with a clock of its own, which may be wrong.
  private final class Rival {
    private Duration ahead = Duration.ZERO;
    private boolean deposed;
    final Leadership leadership;

    Rival(String name) {
      leadership =
          new Leadership(
              client,
              new Leadership.Holder("ns", name, false),
              () -> Instant.parse("2026-11-01T10:00:00Z").plus(passed).plus(ahead),
              () -> passed.toNanos(),
              () -> deposed = true);
    }
  }

  /// Keeps one Lease, as the API server does.
  @BeforeEach
  void keepLease() {
    server.answers(call -> {
      try {
        return away ? Reply.refused(500, "away") : answer(call);
      } catch (JsonProcessingException e) {
        return Reply.refused(400, e.toString());
      }
    });
  }

  private Reply answer(Call call) throws JsonProcessingException {
    if (call.is("POST", PATH)) {
      return lease.isPresent() ? Reply.refused(409, "there is one") : store(call.body());
    }
    if (lease.isEmpty()) {
      return Reply.refused(404, "no Lease");
    }
    if (call.is("PATCH", PATH + "/muster")) {
      ObjectNode patch = (ObjectNode) JSON.readTree(call.body());
      boolean old = !patch.at("/metadata/resourceVersion").asText().equals("" + version);
      return old
          ? Reply.refused(409, "changed meanwhile")
          : store(JSON.readerForUpdating(lease.get()).readTree(call.body()).toString());
    }
    return new Reply(200, lease.get().toString());
  }

  private Reply store(String text) throws JsonProcessingException {
    ObjectNode stored = (ObjectNode) JSON.readTree(text);
    stored.withObject("/metadata").put("resourceVersion", "" + ++version);
    lease = Optional.of(stored);
    return new Reply(200, stored.toString());
  }

  private void pass(int seconds, Rival... looking) {
    for (int i = 0; i < seconds; i++) {
      passed = passed.plusSeconds(1);
      for (Rival process : looking) {
        process.leadership.look();
      }
    }
  }

  @Test
  void first_instance_leads_and_the_second_stands_by() {
    pass(60, first, second);

    assertThat(first.leadership.holds()).isTrue();
    assertThat(second.leadership.holds()).isFalse();
    assertThat(first.deposed).isFalse();
  }

  @Test
  void role_is_unknown_until_the_lease_was_read() {
    away = true;
    pass(5, first, second);
    assertThat(first.leadership.standsBy()).isFalse();

    away = false;
    pass(5, first, second);

    assertThat(first.leadership.standsBy()).isFalse();
    assertThat(second.leadership.standsBy()).isTrue();
  }

  @Test
  void standby_that_takes_over_stands_by_no_more() {
    pass(11, first, second);

    pass(15, second);

    assertThat(second.leadership.standsBy()).isFalse();
  }

  @Test
  void expired_lease_is_taken() {
    pass(11, first, second); // the last renewal is in the last second

    pass(14, second);
    assertThat(second.leadership.holds()).isFalse();
    pass(1, second);
    assertThat(second.leadership.holds()).isTrue();
  }

  @Test
  void leader_that_cannot_renew_stops_before_another_may_begin() {
    pass(10, first, second);
    for (int second = 0; second < 60; second++) {
      pass(1, this.second);
      assertThat(first.leadership.holds() && this.second.leadership.holds()).isFalse();
    }
    assertThat(second.leadership.holds()).isTrue();
  }

  /// A proxy that requests a password could answer like this and accept any write.
  @Test
  void answer_that_is_not_a_lease_is_ignored() {
    server.answers(_ -> new Reply(200, "<html>Welcome</html>"));

    pass(20, first);

    assertThat(first.leadership.holds()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void two_instances_never_lead_at_once_despite_faults(long seed) {
    Random random = new Random(seed);
    List<Rival> rivals = List.of(first, second, new Rival("third"));
    pass(1, first, second, rivals.getLast());
    int led = 0;
    for (int step = 0; step < 60; step++) {
      away = random.nextInt(6) == 0;
      lease = random.nextInt(10) == 0 ? Optional.empty() : lease;
      Rival wrong = rivals.get(random.nextInt(rivals.size()));
      wrong.ahead = wrong.ahead.plusSeconds(random.nextInt(8) == 0 ? random.nextInt(100) : 0);
      Rival[] awake =
          rivals.stream().filter(_ -> random.nextInt(3) > 0).toList().toArray(new Rival[0]);
      for (int time = random.nextInt(12); time >= 0; time--) {
        pass(1, awake);
        long holding = rivals.stream().filter(rival -> rival.leadership.holds()).count();
        assertThat(holding).as("holders in step %d", step).isLessThanOrEqualTo(1);
        led += (int) holding;
      }
    }
    assertThat(led).isPositive();
  }

  @Test
  void leader_that_lost_its_lease_is_deposed() {
    pass(10, first, second);
    pass(30, second);

    pass(1, first, second);

    assertThat(first.deposed).isTrue();
    assertThat(first.leadership.holds()).isFalse();
  }

  @Test
  void api_server_outage_stops_the_leader_and_deposes_no_instance() {
    pass(10, first, second);
    away = true;
    pass(60, first, second);
    assertThat(first.leadership.holds()).isFalse();

    away = false;
    pass(1, first, second);

    assertThat(first.leadership.holds()).isTrue();
    assertThat(first.deposed).isFalse();
  }

  /// All other calls leave their connections in a pool, which dies as a whole.
  @Test
  void renewal_that_failed_on_a_dead_connection_succeeds_at_the_next_attempt()
      throws InterruptedException {
    ApiCalls others = new ApiCalls(client);
    List<Thread> calls =
        IntStream.range(0, 8)
            .mapToObj(_ -> Thread.ofVirtual().start(() -> others.get("/")))
            .toList();
    for (Thread call : calls) {
      call.join();
    }
    pass(1, first);
    server.muteConnections();

    pass(6, first);

    assertThat(first.leadership.holds()).isTrue();
    assertThat(version).as("writes of the Lease").isEqualTo(2);
  }

  @Test
  void several_attempts_fit_between_a_renewal_and_the_end_of_the_lease() {
    Duration attempt = Leadership.PATIENCE.plus(Leadership.LOOK);

    assertThat(Leadership.RENEWED_EVERY.plus(attempt.multipliedBy(3)))
        .isLessThanOrEqualTo(Leadership.LASTS.plus(Leadership.LOOK));
  }

  @Test
  void released_lease_is_taken_at_once() {
    pass(10, first, second);

    first.leadership.close(true);
    assertThat(first.leadership.holds()).isFalse();
    pass(1, second);

    assertThat(second.leadership.holds()).isTrue();
  }

  @Test
  void lease_is_not_released_while_effects_are_in_progress() {
    pass(10, first, second);

    first.leadership.close(false);
    pass(10, second);

    assertThat(second.leadership.holds()).isFalse();
  }

  @Test
  void restarted_container_leads_again_at_once() {
    pass(10, first);
    Rival anew = new Rival("first");

    pass(1, anew);

    assertThat(anew.leadership.holds()).isTrue();
  }

  @Test
  void wrong_clock_takes_no_lease() {
    second.ahead = Duration.ofHours(5);

    pass(60, first, second);
    second.ahead = Duration.ofHours(9);
    pass(60, first, second);

    assertThat(second.leadership.holds()).isFalse();
    assertThat(first.leadership.holds()).isTrue();
  }

  @Test
  void suspended_machine_does_not_trust_its_lease() {
    pass(10, first);

    first.ahead = Duration.ofSeconds(11);

    assertThat(first.leadership.holds()).isFalse();
  }

  @Test
  void failed_poll_does_not_end_polling() {
    AtomicInteger looks = new AtomicInteger();
    Leadership leadership =
        Leadership.start(
            client,
            new Leadership.Holder("ns", "first", false),
            () -> {
              if (looks.incrementAndGet() == 1) {
                throw new StackOverflowError("on purpose");
              }
              return Instant.parse("2026-11-01T10:00:00Z");
            },
            () -> {});
    try {
      await().until(leadership::holds);
    } finally {
      leadership.close(false);
    }
  }

  @Test
  void deleted_lease_is_recreated() {
    pass(10, first);
    lease = Optional.empty();

    pass(10, first);

    assertThat(first.leadership.holds()).isTrue();
    assertThat(lease.orElseThrow().at("/spec/holderIdentity").asText()).isEqualTo("first");
  }

  @Test
  void standby_recreates_a_deleted_lease_only_after_its_holder_has_stopped() {
    pass(10, first, second);
    lease = Optional.empty();

    pass(1, second);

    assertThat(second.leadership.holds()).isFalse();
    pass(15, second);
    assertThat(second.leadership.holds()).isTrue();
    assertThat(first.leadership.holds()).isFalse();
  }

  @Test
  void lease_has_the_fields_that_kubernetes_expects() {
    pass(10, first, second);
    pass(30, second);

    assertThat(lease.orElseThrow().get("spec").toString())
        .isEqualTo(
            "{\"holderIdentity\":\"second\",\"leaseDurationSeconds\":15,"
                + "\"renewTime\":\"2026-11-01T10:00:36.000000Z\","
                + "\"acquireTime\":\"2026-11-01T10:00:21.000000Z\",\"leaseTransitions\":1}");
  }
}

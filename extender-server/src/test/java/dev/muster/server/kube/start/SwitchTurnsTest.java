package dev.muster.server.kube.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.ObjectRef;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The calls about one start switch do not wait for those about another one.
class SwitchTurnsTest {
  private final ScriptedApi server = new ScriptedApi();
  private final KubernetesClient client = server.client();
  private final SwitchWriter writer =
      new SwitchWriter(new ApiCalls(client), Served::new, InstantSource.system());

  private static final class Served implements NativeGroups {
    @Override
    public Optional<String> served() {
      return Optional.of(HoldChoice.TESTED);
    }

    @Override
    public Optional<SeenSwitch> find(String key) {
      return Optional.empty();
    }

    @Override
    public List<SeenSwitch> switches() {
      return List.of();
    }
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private ApiCalls.Answer on(String name) {
    return writer.on("ml", name, new ObjectRef("x/v1", "PodGroup", "ml", name, "g1"));
  }

  /// The names of both switches have one hash code. A tenant can choose names.
  @Test
  void slow_call_about_a_switch_delays_no_other_switch() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    server.answers(call -> {
      if (!call.body().contains("\"Aa\"")) {
        return Reply.refused(403, "refused");
      }
      asked.countDown();
      return waits(other) ? Reply.refused(403, "after the other one") : Reply.refused(403, "alone");
    });
    CompletableFuture<ApiCalls.Answer> slow = CompletableFuture.supplyAsync(() -> on("Aa"));
    asked.await();

    on("BB");
    other.countDown();

    assertThat(slow.get().problem()).contains("after the other one");
  }

  private static boolean waits(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}

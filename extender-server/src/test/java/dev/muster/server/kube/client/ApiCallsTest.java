package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Reply;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ApiCallsTest {
  private static final int AT_ONCE = 90;

  @AutoClose private final ScriptedApi server = new ScriptedApi();
  @AutoClose private final KubernetesClient client = server.client();
  private volatile boolean leads = true;
  private final ApiCalls api =
      new ApiCalls(client, () -> leads ? Duration.ofSeconds(15) : Duration.ZERO);

  private static Thread patching(ApiCalls api, String path) {
    return Thread.ofVirtual().start(() -> api.patch(path, ApiCalls.MERGE, JsonBodies.object()));
  }

  @Test
  void write_does_not_outlive_the_lease() {
    CountDownLatch hung = new CountDownLatch(1);
    server.answers(call -> {
      try {
        hung.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return new Reply(200, "{}");
    });
    ApiCalls ending = new ApiCalls(client, () -> Duration.ofSeconds(1));

    ApiCalls.Answer answer = ending.patch("/slow", ApiCalls.MERGE, JsonBodies.object());
    assertThat(answer.code()).isZero();
    assertThat(answer.excessive()).isTrue();
    hung.countDown();
  }

  @Test
  void delayed_write_is_dropped_once_another_instance_may_lead() throws InterruptedException {
    CountDownLatch hung = new CountDownLatch(1);
    CountDownLatch full = new CountDownLatch(AT_ONCE);
    server.answers(call -> {
      if (call.is("PATCH", "/namespaces/")) {
        full.countDown();
        try {
          hung.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      return new Reply(200, "{}");
    });
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      threads.add(patching(api, "/api/v1/namespaces/%d/pods/slow".formatted(i % 2)));
    }
    full.await();
    Thread late = patching(api, "/late");
    threads.add(late);
    await().until(() -> late.getState() == Thread.State.WAITING);

    leads = false;
    hung.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(server.calls("PATCH", "/late")).isEmpty();
  }

  /// A tenant can make its calls slow: by objects as large as possible, or by many budgets.
  @Test
  void slow_calls_of_one_namespace_leave_others_their_turn() {
    CountDownLatch hung = new CountDownLatch(1);
    server.answers(call -> {
      if (call.is("PATCH", "/namespaces/slow/")) {
        try {
          hung.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      return new Reply(200, "{}");
    });
    ApiCalls patient = new ApiCalls(client, Duration.ofHours(1), () -> Duration.ofHours(1));
    for (int i = 0; i < AT_ONCE; i++) {
      patching(patient, "/api/v1/namespaces/slow/pods/p");
    }
    await().until(() -> server.calls("PATCH", "").size() >= AT_ONCE * 3 / 4);

    assertThat(patient.get("/api/v1/namespaces/other/pods/p").isGood()).isTrue();
    hung.countDown();
  }

  @Test
  void dropped_write_uses_no_rate_limit() {
    leads = false;
    for (int i = 0; i < AT_ONCE; i++) {
      assertThat(api.patch("/late", ApiCalls.MERGE, JsonBodies.object()).isPassing()).isTrue();
    }

    assertThat(api.get("/other").isGood()).isTrue();
  }
}

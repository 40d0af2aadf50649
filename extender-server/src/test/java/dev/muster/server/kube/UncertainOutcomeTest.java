package dev.muster.server.kube;

import static org.awaitility.Awaitility.await;

import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.loop.Mailbox;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Object problems wait while leadership is uncertain.
@Timeout(60)
class UncertainOutcomeTest {
  private static final String VERSION = "scheduling.x-k8s.io/v1alpha1";
  private static final Duration LONG = Duration.ofSeconds(30);

  @AutoClose private final MockApi api = new MockApi();
  private final List<ObjectProblem> problems = new CopyOnWriteArrayList<>();
  private volatile boolean leads = true;

  private KubeInbox start() {
    return KubeInbox.start(
        new KubeInbox.Ends(
            api.client(),
            VERSION::equals,
            new Mailbox(1000),
            () -> leads,
            problems::add,
            _ -> {},
            InstantSource.system()),
        KubeSettings.DEFAULT);
  }

  private void createGroup(String spec) {
    var group =
        Yaml.group(
            """
            apiVersion: %s
            kind: PodGroup
            metadata: {namespace: ml, name: wrong}
            spec: %s
            """
                .formatted(VERSION, spec));
    api.client()
        .genericKubernetesResources(PodGroupDialect.context(VERSION))
        .inNamespace("ml")
        .resource(group)
        .create();
  }

  @Test
  void object_problem_is_reported_once_the_outcome_is_known() {
    try (KubeInbox inbox = start()) {
      await().atMost(LONG).until(inbox::isSynced);
      leads = false;
      createGroup("{minMember: many}");
      await().pollDelay(Duration.ofSeconds(3)).atMost(LONG).until(problems::isEmpty);

      leads = true;

      await().atMost(LONG).until(() -> !problems.isEmpty());
    }
  }
}

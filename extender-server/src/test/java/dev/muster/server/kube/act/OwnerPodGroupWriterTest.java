package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.ScriptedApi.Reply;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class OwnerPodGroupWriterTest {
  private static final String PATH = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ml/podgroups";

  @AutoClose private final ScriptedApi server = new ScriptedApi();
  @AutoClose private final KubernetesClient client = server.client();
  private final OwnerPodGroupWriter writer =
      new OwnerPodGroupWriter(new ApiCalls(client), new LogThrottle());

  private static WantedPodGroup wanted(Optional<String> existing) {
    return new WantedPodGroup(
        new GangId("ml", Origin.POD_GROUP, "jobset-train"),
        new ObjectRef("jobset.x-k8s.io/v1alpha2", "JobSet", "ml", "train", "o1"),
        5,
        new TreeMap<>(Map.of("muster.dev/queue", "nlp")),
        new TreeMap<>(Map.of("muster.dev/runtime", "2h")),
        existing);
  }

  @Test
  void pod_group_belongs_to_its_owner() {
    assertThat(writer.write(wanted(Optional.empty()))).isEmpty();

    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "POST",
                PATH,
                "application/json",
                """
                {"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup",\
                "metadata":{"namespace":"ml","name":"jobset-train",\
                "labels":{"muster.dev/queue":"nlp"},"annotations":{"muster.dev/runtime":"2h"},\
                "ownerReferences":[{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet",\
                "name":"train","uid":"o1","controller":true}]},"spec":{"minMember":5}}\
                """));
  }

  private static WantedPodGroup surplus(String name) {
    WantedPodGroup some = wanted(Optional.of("g1"));
    return new WantedPodGroup(
        new GangId("ml", Origin.POD_GROUP, name),
        some.owner(),
        0,
        some.labels(),
        some.annotations(),
        some.existing());
  }

  /// It is requested every minute for each replica.
  @Test
  void refused_deletion_is_logged_once() {
    server.answers(_ -> Reply.refused(403, "cannot delete"));
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(OwnerPodGroupWriter.class);
    told.start();
    logger.addAppender(told);
    try {
      assertThat(writer.write(surplus("leaderworkerset-serve-1"))).isEmpty();
      assertThat(writer.write(surplus("leaderworkerset-serve-2"))).isEmpty();
    } finally {
      logger.detachAppender(told);
    }

    assertThat(told.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "The PodGroup ml/leaderworkerset-serve-1, which its owner left, was not deleted: 403 cannot delete. The role may lack delete on PodGroups.");
  }

  @Test
  void surplus_pod_group_is_deleted_if_it_is_still_the_same() {
    assertThat(writer.write(surplus("jobset-train"))).isEmpty();
    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "DELETE",
                PATH + "/jobset-train",
                "application/json",
                "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{\"uid\":\"g1\"}}"));
  }

  @Test
  void changed_owner_changes_its_pod_group() {
    assertThat(writer.write(wanted(Optional.of("g1")))).isEmpty();

    assertThat(server.calls)
        .containsExactly(
            new ScriptedApi.Call(
                "PATCH",
                PATH + "/jobset-train",
                "application/merge-patch+json",
                """
                {"metadata":{"uid":"g1","labels":{"muster.dev/queue":"nlp"},\
                "annotations":{"muster.dev/runtime":"2h"}},"spec":{"minMember":5}}\
                """));
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 422})
  void refusal_is_told_on_the_owner(int code) {
    server.answers(_ -> Reply.refused(code, "exceeded quota"));

    assertThat(writer.write(wanted(Optional.empty())))
        .get()
        .satisfies(problem -> {
          assertThat(problem.object().name()).isEqualTo("train");
          assertThat(problem.message())
              .isEqualTo(
                  "The pods wait, because Muster could not write their PodGroup jobset-train: %d exceeded quota"
                      .formatted(code));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 409, 500})
  void what_a_retry_or_a_watch_mends_is_not_told(int code) {
    server.answers(_ -> Reply.refused(code, "again"));

    assertThat(writer.write(wanted(Optional.empty()))).isEmpty();
  }
}

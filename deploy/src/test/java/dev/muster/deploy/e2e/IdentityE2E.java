package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// kube-scheduler and the API server prove who they are, and users see only what they may list.
class IdentityE2E {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private static final int STRANGERS = 200;

  private final TestGangs gangs = STAGE.gangs();

  /// Two tenants. The shipped role that every viewer of a namespace has lets them list PodGroups.
  @BeforeAll
  static void createTenants() {
    for (String tenant : List.of("red", "blue")) {
      var admin = STAGE.admin();
      var meta = new NamespaceBuilder().withNewMetadata().withName(tenant).endMetadata();
      admin.resource(meta.build()).create();
      admin
          .resource(
              new ServiceAccountBuilder()
                  .withNewMetadata()
                  .withNamespace(tenant)
                  .withName("user")
                  .endMetadata()
                  .build())
          .create();
      admin
          .resource(
              new RoleBindingBuilder()
                  .withNewMetadata()
                  .withNamespace(tenant)
                  .withName("user")
                  .endMetadata()
                  .withNewRoleRef(
                      "rbac.authorization.k8s.io", "ClusterRole", "muster-podgroup-viewer")
                  .addNewSubject()
                  .withKind("ServiceAccount")
                  .withNamespace(tenant)
                  .withName("user")
                  .endSubject()
                  .build())
          .create();
    }
  }

  @Test
  void strangers_get_nothing_and_a_gang_starts_beside_them() throws Exception {
    STAGE.cluster().createNodes(NodeShape.withGpus("n0", 8), NodeShape.withGpus("n1", 8));
    String large = "{\"Pod\": \"" + "x".repeat(1 << 20) + "\"}";
    var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    try (HttpClient stranger = STAGE.files().stranger()) {
      for (int i = 0; i < STRANGERS; i++) {
        String path = i % 2 == 0 ? "/scheduler/filter" : "/webhook/pods";
        HttpRequest call =
            HttpRequest.newBuilder((i % 4 < 2 ? STAGE.secure() : STAGE.muster()).resolve(path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(large))
                .build();
        answers.add(stranger.sendAsync(call, BodyHandlers.ofString()));
      }
      gangs.create("calm", 2, 8);
      gangs.awaitRunning("calm", 2);

      int refused = 0;
      for (var answer : answers) {
        // A stranger that still sends its body can see the connection end instead of the answer.
        refused +=
            answer
                .handle((got, _) -> got == null || got.statusCode() == 401 ? 1 : 0)
                .get(60, TimeUnit.SECONDS);
      }
      assertThat(refused).isEqualTo(STRANGERS);
    }
    assertThat(gangs.members("calm").getFirst().getSpec().getSchedulingGates()).isEmpty();
  }

  @Test
  void each_tenant_sees_only_its_own_gangs() {
    for (String tenant : List.of("red", "blue")) {
      var pod = gpuPod(tenant + "-gang", 1).editMetadata().withNamespace(tenant).endMetadata();
      STAGE.admin().pods().inNamespace(tenant).resource(pod.build()).create();
    }
    String red = STAGE.plane().serviceAccountToken("red", "user");
    String blue = STAGE.plane().serviceAccountToken("blue", "user");

    await("both gangs are seen")
        .atMost(TestCluster.WAIT)
        .until(() -> {
          String all = STAGE.page("/api/v1/gangs");
          return all.contains("red-gang") && all.contains("blue-gang");
        });

    assertThat(STAGE.page("/api/v1/gangs", red).body())
        .contains("\"name\":\"red-gang\"", "\"others\":{\"gangs\":1,")
        .doesNotContain("blue");
    assertThat(STAGE.page("/api/v1/gangs", blue).body())
        .contains("\"name\":\"blue-gang\"", "\"others\":{\"gangs\":1,")
        .doesNotContain("red-gang");
    assertThat(STAGE.page("/api/v1/gangs/blue/blue-gang", red).statusCode()).isEqualTo(403);
    assertThat(STAGE.page("/api/v1/nodes", red).body()).contains("\"items\":[]", "\"others\":{");
    assertThat(STAGE.page("/api/v1/gangs", "invented").statusCode()).isEqualTo(401);
    List.of("red", "blue")
        .forEach(tenant -> STAGE.admin().pods().inNamespace(tenant).withGracePeriod(0).delete());
  }

  @Test
  void pages_are_unavailable_without_the_api_server_and_return_with_it() {
    String token = STAGE.plane().serviceAccountToken("red", "user");
    STAGE.plane().stopApiServer();

    assertThat(STAGE.page("/api/v1/gangs", token).statusCode()).isEqualTo(503);
    assertThat(STAGE.page("/metrics")).contains("muster_watching");

    STAGE.plane().startApiServer();
    await("pages return")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.page("/api/v1/gangs", token).statusCode() == 200);
    STAGE.cluster().createNodes(NodeShape.withGpus("back", 8));
    gangs.create("after", 1, 8);
    gangs.awaitRunning("after", 1);
  }
}

package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Users ask Muster through the API server's proxy of Services, as `kubectl muster`, with their own
/// rights. Each sees what it may list.
class CommandLineE2E {
  private static final ConnectProxy NETWORK = ConnectProxy.create();
  private static final String SERVICE = "https:muster:443";
  private static final String ADDRESS = "10.88.0.7";

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .on((setup, files) ->
              setup
                  .withUser(new TestSetup.User("red-token", "red-user", List.of()))
                  .withUser(new TestSetup.User("blue-token", "blue-user", List.of()))
                  .withUser(new TestSetup.User("no-token", "nobody", List.of()))
                  .withFlag(ControlPlaneComponent.API_SERVER, NETWORK.start(files.folder()))
                  .withFlag(
                      ControlPlaneComponent.API_SERVER,
                      "--client-ca-file=" + files.folder().resolve("ca.crt")));

  @TempDir static Path folder;

  private record Outcome(int code, String out, String err) {}

  /// One node in use, a Job for each tenant that waits for it, and the Service of Muster.
  @BeforeAll
  static void createTenants() throws IOException {
    Files.createSymbolicLink(
        folder.resolve("kubectl-muster"), ShippedFiles.folder().resolve("target/muster/muster"));
    createService();
    STAGE.cluster().createNodes(NodeShape.withGpus("hidden-node", 8));
    STAGE.cluster().create(gpuPod("busy", 8));
    STAGE.cluster().awaitRunning("busy");
    for (String tenant : List.of("red", "blue")) {
      var meta = new NamespaceBuilder().withNewMetadata().withName(tenant).endMetadata();
      STAGE.admin().resource(meta.build()).create();
      // The role `view` consists of this one, once a controller has put it together.
      bind(tenant, tenant + "-user", "ClusterRole", "system:aggregate-to-view");
      bind(tenant, tenant + "-user-podgroups", "ClusterRole", "muster-podgroup-viewer");
      bind("muster-system", tenant + "-user", "Role", "muster-pages");
      var template = gpuPod("x", 8).buildSpec();
      template.setRestartPolicy("Never");
      var job =
          new JobBuilder()
              .withNewMetadata()
              .withNamespace(tenant)
              .withName(tenant + "-job")
              .endMetadata()
              .withNewSpec()
              .withNewTemplate()
              .withSpec(template)
              .endTemplate()
              .endSpec();
      STAGE.admin().resource(job.build()).create();
    }
    await("both gangs wait")
        .atMost(TestCluster.WAIT)
        .until(() -> STAGE.page("/api/v1/waiting").contains("\"total\":{\"gangs\":2,"));
  }

  /// The Role is that of docs/command-line.md.
  private static void createService() {
    var admin = STAGE.admin();
    int port = STAGE.secure().getPort();
    createPod();
    admin
        .resource(
            new RoleBuilder()
                .withNewMetadata()
                .withNamespace("muster-system")
                .withName("muster-pages")
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources("services/proxy")
                .withResourceNames(SERVICE)
                .withVerbs("get")
                .endRule()
                .build())
        .create();
    admin
        .resource(
            new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("muster-system")
                .withName("muster")
                .endMetadata()
                .withNewSpec()
                .addNewPort()
                .withName("https")
                .withPort(443)
                .endPort()
                .endSpec()
                .build())
        .create();
    admin
        .resource(
            new EndpointsBuilder()
                .withNewMetadata()
                .withNamespace("muster-system")
                .withName("muster")
                .endMetadata()
                .addNewSubset()
                .addNewAddress()
                .withIp(ADDRESS)
                .withNewTargetRef()
                .withKind("Pod")
                .withNamespace("muster-system")
                .withName("muster-0")
                .endTargetRef()
                .endAddress()
                .addNewPort()
                .withName("https")
                .withPort(port)
                .endPort()
                .endSubset()
                .build())
        .create();
    admin
        .resource(
            new EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace("muster-system")
                .withName("muster-1")
                .addToLabels("kubernetes.io/service-name", "muster")
                .endMetadata()
                .withAddressType("IPv4")
                .addNewEndpoint()
                .withAddresses(ADDRESS)
                .endEndpoint()
                .addNewPort()
                .withName("https")
                .withPort(port)
                .endPort()
                .build())
        .create();
  }

  /// The API server proxies only to an address that a pod has.
  private static void createPod() {
    MusterPod.create(STAGE.admin(), "muster-0");
    // Muster labels this pod at the same time, so the patch names no version.
    STAGE
        .admin()
        .pods()
        .inNamespace("muster-system")
        .withName("muster-0")
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            "{\"status\":{\"podIP\":\"%1$s\",\"podIPs\":[{\"ip\":\"%1$s\"}]}}".formatted(ADDRESS));
  }

  private static void bind(String namespace, String name, String kind, String role) {
    STAGE
        .admin()
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", kind, role)
                .addNewSubject()
                .withKind("User")
                .withApiGroup("rbac.authorization.k8s.io")
                .withName(name.replace("-podgroups", ""))
                .endSubject()
                .build())
        .create();
  }

  @AfterAll
  static void close() throws IOException {
    NETWORK.close();
  }

  private static Outcome run(Path kubeconfig, String... words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(folder.resolve("kubectl-muster").toString());
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    builder.redirectError(folder.resolve("err").toFile());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Outcome(process.exitValue(), out, Files.readString(folder.resolve("err")));
  }

  private static Outcome as(String token, String... words) throws Exception {
    return run(STAGE.plane().kubeconfig(token), words);
  }

  /// One test, so that the Jobs of the tenants are not deleted in between.
  @Test
  void users_ask_with_their_own_rights() throws Exception {
    tenant_sees_its_own_and_no_name_of_others();
    live_screen_shows_a_tenant_its_own();
    workload_is_found_by_its_owner();
    user_without_the_right_learns_which_one();
    admin_with_a_client_certificate_sees_everything();
  }

  private static void tenant_sees_its_own_and_no_name_of_others() throws Exception {
    Outcome red = as("red-token", "queue", "-A");
    Outcome blue = as("blue-token", "gangs", "-A", "-o", "yaml");

    assertThat(red.err()).isEmpty();
    assertThat(red.out())
        .contains("red-job-", "1 waiting gang, 8 GPUs. 1 gang of others, 8 GPUs.")
        .doesNotContain("blue");
    assertThat(blue.out()).contains("blue-job-").doesNotContain("red-job");
    assertThat(as("red-token", "nodes").out()).contains(" GPUs free.").doesNotContain("hidden");
  }

  private static void live_screen_shows_a_tenant_its_own() throws Exception {
    Outcome red = as("red-token", "top", "--once", "-A");

    assertThat(red.err()).isEmpty();
    assertThat(red.code()).isZero();
    assertThat(red.out()).contains("red-job-").doesNotContain("blue", "hidden");
  }

  private static void workload_is_found_by_its_owner() throws Exception {
    Outcome why = as("red-token", "why", "job/red-job", "-n", "red");
    Outcome other = as("red-token", "why", "job/blue-job", "-n", "blue");

    assertThat(why.err()).isEmpty();
    assertThat(why.code()).isEqualTo(2);
    assertThat(why.out()).startsWith("red/red-job-").contains("8 GPU (1 x 8)", "  Next: ");
    assertThat(other.code()).isEqualTo(1);
    assertThat(other.err()).contains("403");
  }

  private static void user_without_the_right_learns_which_one() throws Exception {
    Outcome nobody = as("no-token", "queue");

    assertThat(nobody.code()).isEqualTo(3);
    assertThat(nobody.err()).contains("docs/command-line.md", "services \"" + SERVICE + "\"");
  }

  /// The API server takes the certificate that the shipped script made. Its key is on an elliptic
  /// curve, in PKCS #8.
  private static void admin_with_a_client_certificate_sees_everything() throws Exception {
    bind("muster-system", "muster-client", "ClusterRole", "cluster-admin");
    Path keys = STAGE.files().folder();
    Path kubeconfig =
        Files.writeString(
            folder.resolve("certificate"),
            Files.readString(STAGE.plane().kubeconfig("x"))
                .replace(
                    "token: \"x\"",
                    "client-certificate: \"%s\", client-key: \"%s\""
                        .formatted(keys.resolve("client.crt"), keys.resolve("client.key"))));
    Outcome admin = run(kubeconfig, "queue", "-A");

    assertThat(Files.readString(keys.resolve("client.key")))
        .startsWith("-----BEGIN PRIVATE KEY-----");
    assertThat(admin.err()).isEmpty();
    assertThat(admin.out()).contains("red-job-", "blue-job-", "2 waiting gangs, 16 GPUs.");
  }
}

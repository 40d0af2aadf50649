package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// `muster submit --apply` creates a job whose pods start together, or nothing.
class SubmitE2E {
  private static final String NAMESPACE = "default";

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .on(setup -> setup.withUser(new TestSetup.User("ann-token", "ann", List.of())));

  @TempDir Path folder;

  private record Outcome(int code, String out, String err) {}

  private Outcome submit(String token, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ShippedFiles.folder().resolve("target/muster/muster").toString());
    command.addAll(List.of("submit", "--apply"));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("KUBECONFIG", STAGE.plane().kubeconfig(token).toString());
    Path err = folder.resolve("err");
    builder.redirectError(err.toFile());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Outcome(process.exitValue(), out, Files.readString(err));
  }

  @Test
  void job_runs_whole_after_one_command() throws Exception {
    STAGE.cluster().createNodes(NodeShape.withGpus("a", 8), NodeShape.withGpus("b", 8));

    Outcome outcome =
        submit(
            ControlPlane.ADMIN_TOKEN,
            "--gpus",
            "16",
            "--image",
            "registry.example/train:1",
            "--",
            "torchrun");

    assertThat(outcome.err()).startsWith("default/torchrun starts now, 2 pods:");
    assertThat(outcome.out())
        .contains(
            "podgroups.scheduling.x-k8s.io/torchrun service/torchrun job/torchrun",
            "muster why job/torchrun -n default");
    awaitRunning("torchrun", 2);
  }

  @Test
  void job_that_exists_leaves_nothing_behind() throws Exception {
    STAGE.cluster().createNodes(NodeShape.withGpus("a", 8));
    STAGE
        .admin()
        .resource(
            new ServiceBuilder()
                .withNewMetadata()
                .withName("twice")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withClusterIP("None")
                .endSpec()
                .build())
        .create();

    Outcome outcome =
        submit(
            ControlPlane.ADMIN_TOKEN,
            "--no-fit",
            "--gpus",
            "16",
            "--image",
            "i",
            "--name",
            "twice");

    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.err())
        .contains(
            "service/twice: exists already in the namespace default. Choose another --name.",
            "Deleted again: podgroups.scheduling.x-k8s.io/twice.");
    assertThat(STAGE.admin().batch().v1().jobs().inNamespace(NAMESPACE).list().getItems())
        .isEmpty();
  }

  @Test
  void kind_without_controller_is_named() throws Exception {
    Outcome outcome =
        submit(
            ControlPlane.ADMIN_TOKEN,
            "--no-fit",
            "--kind",
            "jobset",
            "--gpus",
            "8",
            "--image",
            "i",
            "--",
            "a");

    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.err())
        .contains("jobset/a: the cluster does not serve jobset.x-k8s.io/v1alpha2.", "--kind job.");
  }

  @Test
  void user_who_may_not_list_nodes_creates_the_job_all_the_same() throws Exception {
    allowAnn();
    STAGE.cluster().createNodes(NodeShape.withGpus("a", 8));

    Outcome outcome = submit("ann-token", "--gpus", "8", "--image", "i", "--", "own");

    assertThat(outcome.err()).startsWith("It is not known if the job fits: ").contains("403");
    assertThat(outcome.code()).isZero();
    awaitRunning("own", 1);
  }

  private static void allowAnn() {
    var rules =
        new RoleBuilder()
            .withNewMetadata()
            .withNamespace(NAMESPACE)
            .withName("ann")
            .endMetadata()
            .addNewRule()
            .withApiGroups("", "batch", "scheduling.x-k8s.io")
            .withResources("services", "jobs", "podgroups")
            .withVerbs("create")
            .endRule();
    STAGE.admin().resource(rules.build()).create();
    var binding =
        new RoleBindingBuilder()
            .withNewMetadata()
            .withNamespace(NAMESPACE)
            .withName("ann")
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "Role", "ann")
            .addNewSubject()
            .withKind("User")
            .withApiGroup("rbac.authorization.k8s.io")
            .withName("ann")
            .endSubject();
    STAGE.admin().resource(binding.build()).create();
  }

  private static void awaitRunning(String job, int pods) {
    await(pods + " pods of " + job + " run")
        .atMost(TestCluster.WAIT)
        .untilAsserted(() -> assertThat(pods(job)).hasSize(pods).allMatch(JobPods::isRunning));
  }

  private static List<Pod> pods(String job) {
    return STAGE.admin().pods().inNamespace(NAMESPACE).withLabel("job-name", job).list().getItems();
  }
}

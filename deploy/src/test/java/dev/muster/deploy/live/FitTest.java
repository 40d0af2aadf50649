package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.deploy.ShippedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `muster simulate fit` answers as a shell sees it.
class FitTest extends FitScene {
  @Test
  void gang_that_fits_starts_on_its_promised_nodes() throws IOException {
    Outcome outcome = fit(snapshot(FOUR), example("torchrun"));

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out().lines())
        .containsExactly(
            "default/torchrun starts now, 4 pods:",
            "  on n1: torchrun-0",
            "  on n2: torchrun-1",
            "  on n3: torchrun-2",
            "  on n4: torchrun-3");
  }

  @Test
  void known_machine_models_show_gpu_links() throws IOException {
    Path pair =
        write(
            "pair.yaml",
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: pair}
            spec:
              containers: [{name: main, resources: {limits: {nvidia.com/gpu: 2}}}]
            """);
    Path snapshot = snapshot("b1/r1: n1:Tesla-V100-SXM2-32GB[........]");

    assertThat(fit(snapshot, pair).out().lines())
        .containsExactly(
            "default/pair starts now, 1 pod:",
            "  on n1: pair",
            "  pair: any choice of GPUs is joined by 63015 Mbit/s or more");
    assertThat(fit(snapshot, pair, "-o", "json").out().replaceAll("\\s", ""))
        .contains("{\"pod\":\"pair\",\"node\":\"n1\",\"link\":{\"gpus\":[],\"mbps\":63015}}");
  }

  @Test
  void gang_that_does_not_fit_gets_the_reason_of_the_server() throws IOException {
    Outcome outcome =
        fit(
            snapshot("b1/r1: n1[........] n2[........] n3[....####] n4[........]"),
            example("torchrun"));

    assertThat(outcome.out().lines().limit(2))
        .containsExactly(
            "default/torchrun waits.",
            "  WaitingForCapacity: Needs 32 nvidia.com/gpu; free on matching nodes: 28 nvidia.com/gpu.");
  }

  @Test
  void gang_larger_than_the_cluster_never_starts() throws IOException {
    Outcome outcome = fit(snapshot("b1/r1: n1[....] n2[....]"), example("torchrun"));

    assertThat(outcome.out())
        .startsWith("default/torchrun never starts as it is.")
        .contains("ImpossibleRequest: Needs 8 GPUs on one node; the largest matching node has 4.");
  }

  /// A snapshot is a journal, which has the budgets as the server's engine had them.
  @Test
  void gang_of_a_spent_budget_waits_as_on_the_server() throws IOException {
    assertThat(fit(snapshot(FOUR, budgetSpent()), example("torchrun")).out().lines())
        .containsExactly("default/torchrun waits.", "  BudgetSpent: " + SPENT);
  }

  @Test
  void spent_budget_is_a_reason_in_the_json() throws IOException {
    Outcome outcome = fit(snapshot(FOUR, budgetSpent()), example("torchrun"), "-o", "json");

    JsonNode answer = new ObjectMapper().readTree(outcome.out()).at("/gangs/0");
    assertThat(answer.path("verdict").asText()).isEqualTo("Waits");
    assertThat(answer.path("reason").asText()).isEqualTo("BudgetSpent");
    assertThat(answer.path("message").asText()).isEqualTo(SPENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--config", "--server", "--service"})
  void option_of_a_live_cluster_is_refused_for_a_snapshot(String option) throws IOException {
    Outcome outcome = fit(snapshot(FOUR), example("torchrun"), option, "x");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains(option + " cannot be combined with --snapshot: ");
  }

  @Test
  void policy_names_the_victims() throws IOException {
    Path policy =
        write(
            "policy.yaml",
            """
            apiVersion: policy.muster.dev/v1
            kind: PreemptionPolicy
            mode: Enforce
            rules: [{name: all, action: Allow}]
            """);
    Path gang =
        write(
            "gang.yaml",
            """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: high}
            value: 1000
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: urgent, namespace: prod}
            spec:
              priorityClassName: high
              containers: [{name: main, resources: {limits: {nvidia.com/gpu: 8}}}]
            """);
    Path snapshot = snapshot("b1/r1: n1[........]", running("low", 8, "n1"));

    assertThat(fit(snapshot, gang).out()).startsWith("prod/urgent waits.");
    Outcome outcome = fit(snapshot, gang, "--preemption", policy, "-o", "json");

    JsonNode json = new ObjectMapper().readTree(outcome.out());
    assertThat(json.path("version").asText()).isEqualTo("muster-fit/v1");
    JsonNode answer = json.at("/gangs/0");
    assertThat(answer.path("verdict").asText()).isEqualTo("StartsAfterEvictions");
    assertThat(answer.at("/preemption/victims/0/name").asText()).isEqualTo("low");
    assertThat(answer.at("/preemption/victims/0/rule").asText()).isEqualTo("all");
    assertThat(answer.at("/preemption/nodes/0").asText()).isEqualTo("n1");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void every_example_can_be_checked(String file) throws IOException {
    Outcome outcome = fit(snapshot(FOUR), ShippedFiles.folder().resolve(file));

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).contains(" starts now, ");
  }

  @Test
  void mistakes_are_reported_with_place_and_remedy() throws IOException {
    Path snapshot = snapshot(FOUR, running("train", 8, "n1"));
    Path none = write("none.yaml", "kind: Service\nmetadata: {name: s}\n");
    Path unknown =
        write(
            "unknown.yaml",
            "kind: Pod\nmetadata: {name: p}\nspec: {priorityClassName: hihg, containers: []}\n");
    Path there =
        write(
            "there.yaml",
            "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: train, namespace: ml}\nspec: {minMember: 1}\n---\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}\n");
    Path broken = write("broken.yaml", "kind: [Pod\n");

    assertThat(fit(snapshot, none).err())
        .contains(none + ": has no pods", "The PodGroup and its Job");
    assertThat(fit(snapshot, unknown).err())
        .contains(unknown + ": the pod p has priorityClassName \"hihg\", which is not known");
    assertThat(fit(snapshot, there).err()).contains("The gang ml/train is already in the cluster.");
    assertThat(fit(snapshot, broken).err()).contains(broken + ": document 1 is not YAML");
    assertThat(fit(folder.resolve("nowhere"), none).err()).contains("no such file");
    assertThat(fit(snapshot, none).code()).isPositive();

    Path other = Files.write(folder.resolve("other.yaml"), new byte[] {(byte) 0xff, 0});
    assertThat(fit(snapshot, other).err()).contains(other + ": is not UTF-8 text.");
    assertThat(fit(snapshot, folder).err()).contains(folder + ": is a folder.");
  }

  @Test
  void misspelt_annotation_of_a_pod_group_is_reported_like_that_of_a_pod() throws IOException {
    String misspelt = "  annotations: {muster.dev/topology-prefered: rack}\nspec:\n  minMember";
    String torchrun = Files.readString(example("torchrun"));
    Path gang = write("gang.yaml", torchrun.replace("spec:\n  minMember", misspelt));
    assertThat(fit(snapshot(FOUR), gang).err())
        .contains(
            gang
                + ": PodGroup default/torchrun: The annotation muster.dev/topology-prefered (rack) is unknown and ignored. Did you mean muster.dev/topology-preferred?");
  }

  @Test
  void pods_that_muster_does_not_place_are_reported() throws IOException {
    Path web =
        write(
            "web.yaml",
            "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a, image: b}]}\n");
    assertThat(fit(snapshot(FOUR), web))
        .isEqualTo(
            new Outcome(
                0,
                "No pod of the file is scheduled by Muster: none requests GPUs or names a PodGroup.\n",
                ""));
  }

  @Test
  void invalid_quantity_is_reported() throws IOException {
    Path pod =
        write(
            "pod.yaml",
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: odd}
            spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: eight}}}]}
            """);
    assertThat(fit(snapshot(FOUR), pod).err())
        .contains("Pod default/odd: The amount of nvidia.com/gpu is (eight); it must be");
  }

  @Test
  void live_configuration_is_refused_beside_a_snapshot() throws IOException {
    assertThat(fit(snapshot(FOUR), example("torchrun"), "--config", "muster.yaml").err())
        .contains("--config cannot be combined with --snapshot: no live cluster is read");
  }
}

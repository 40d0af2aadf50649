package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.budget.LargeObjects;
import dev.muster.server.kube.owner.kind.Fields;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.watch.TrimmedStore;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The owners of all kinds take a bounded part of the memory. One without space states no gang.
class OwnerSpaceTest extends OwnerScene {
  private static final OwnerKind JOB_SET =
      OwnerKinds.with(List.of()).find("jobset.x-k8s.io/v1alpha2", "JobSet").orElseThrow();

  private static final LargeObjects FULL = new LargeObjects(0, 0);

  private static String texts(int count) {
    return IntStream.range(0, count)
        .mapToObj("example.com/%060d: x"::formatted)
        .collect(Collectors.joining(", "));
  }

  /// Returns a JobSet of four pods.
  private static GenericKubernetesResource jobSet(String labels) {
    return Yaml.owner(
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {namespace: ml, name: train, uid: o1, labels: {%s}, annotations: {%s}}
        spec: {replicatedJobs: [{name: a, replicas: 4, template: {spec: {template: {spec: %s}}}}]}
        """
            .formatted(labels, texts(100), GPUS),
        JOB_SET.api().selection());
  }

  private GenericKubernetesResource see(LargeObjects space, String labels) {
    GenericKubernetesResource owner = jobSet(labels);
    TrimmedStore.ofOwners("JobSet", space).put("ml/train", owner);
    gangs.owner(JOB_SET, "ml/train", Optional.of(owner));
    return owner;
  }

  private Pod member() {
    return see(
        "a-0",
        "Job/train-a",
        "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: a");
  }

  @Test
  void pods_of_an_owner_without_space_wait() {
    Pod pod = member();
    see(FULL, "");
    settle();

    assertThat(gangOf(pod)).isEqualTo("jobset-train");
    assertThat(requested()).isEmpty();
  }

  @Test
  void owner_without_space_is_told_why() {
    assertThat(OwnerProblem.of(see(FULL, "")).orElseThrow().message())
        .startsWith("The large objects of namespace ml take 0 MiB")
        .endsWith("they start one by one.");
  }

  @Test
  void size_that_was_read_before_stays_in_force() {
    see(new LargeObjects(1 << 20, 0), "");
    member();
    see(FULL, "");

    assertThat(requested()).containsExactly("jobset-train=4");
  }

  @Test
  void owner_without_space_that_forms_no_gang_has_no_problem() {
    assertThat(OwnerProblem.of(see(FULL, texts(200) + ", muster.dev/gang: \"false\""))).isEmpty();
    assertThat(gangOf(member())).isEmpty();
  }

  @Test
  void little_is_kept_of_an_owner_without_space() {
    GenericKubernetesResource owner = see(FULL, texts(400));

    assertThat(owner.getAdditionalProperties()).isEmpty();
    assertThat(owner.getMetadata().getLabels()).hasSizeLessThan(60);
  }

  @Test
  void owners_of_two_kinds_share_the_space_under_one_name() {
    LargeObjects space = new LargeObjects(200_000, 0);
    TrimmedStore<GenericKubernetesResource> sets = TrimmedStore.ofOwners("JobSet", space);
    TrimmedStore<GenericKubernetesResource> others = TrimmedStore.ofOwners("Other", space);
    sets.put("ml/train", jobSet(texts(300)));
    GenericKubernetesResource second = jobSet(texts(300));
    others.put("ml/train", second);
    assertThat(LargeObjects.refusal(second)).isPresent();

    sets.remove("ml/train");
    GenericKubernetesResource third = jobSet(texts(300));
    others.put("ml/train", third);
    assertThat(LargeObjects.refusal(third)).isEmpty();
  }

  /// A gang would wait for pods that never come back.
  @Test
  void job_without_space_still_states_the_pods_that_have_ended() {
    OwnerKind.Api jobs = JOB_SET.makers().orElseThrow();
    GenericKubernetesResource job =
        Yaml.owner(
            """
            apiVersion: batch/v1
            kind: Job
            metadata: {namespace: ml, name: train-a, uid: j, labels: {%s,
              jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/jobset-uid: o1,
              jobset.sigs.k8s.io/replicatedjob-name: a-role-with-a-long-name}}
            spec: {parallelism: 4, completions: 4}
            status: {succeeded: 3, completedIndexes: "%s"}
            """
                .formatted(texts(300), "0,2,".repeat(10_000)),
            jobs.selection());
    TrimmedStore.ofMakers("JobSet", FULL).put("ml/train-a", job);

    assertThat(JOB_SET.over(OwnerFacts.fields(job)).orElseThrow().byRole())
        .containsEntry("a-role-with-a-long-name", 3);
    assertThat(
            new Fields(job.getAdditionalProperties().get("status"))
                .at("completedIndexes")
                .text()
                .orElse(""))
        .hasSizeLessThan(500);
  }

  @Test
  void deleted_owner_keeps_no_texts_for_its_last_pods() {
    OwnerFacts facts = OwnerFacts.of(JOB_SET, jobSet("a: b"), List.of("nvidia.com/gpu"));
    OwnerFacts last = facts.ofLastPods().orElseThrow();

    assertThat(facts.labels()).isNotEmpty();
    assertThat(last.labels()).isEmpty();
    assertThat(last.hasPartsOf(facts)).isTrue();
  }
}

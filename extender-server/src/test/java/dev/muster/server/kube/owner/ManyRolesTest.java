package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import io.fabric8.kubernetes.api.model.Pod;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// One pod or Job costs the same however many roles, replicas and other pods its owner has.
class ManyRolesTest {
  /// Owners of a kind of which each use is counted. Each look at a claim or an owner is such a use.
  private static final class CountedScene extends OwnerScene {
    private static int uses;

    CountedScene(String kind) {
      super(
          new OwnerKinds(
              OwnerKinds.with(List.of()).kinds().stream()
                  .filter(known -> known.api().kind().equals(kind))
                  .map(CountedScene::counted)
                  .toList()));
    }

    @SuppressWarnings("ReferenceEquality") // a proxy equals only itself
    private static OwnerKind counted(OwnerKind kind) {
      return (OwnerKind)
          Proxy.newProxyInstance(
              OwnerKind.class.getClassLoader(),
              new Class<?>[] {OwnerKind.class},
              (self, method, args) -> {
                uses++;
                return isEquals(method) ? self == args[0] : method.invoke(kind, args);
              });
    }

    private static boolean isEquals(Method method) {
      return method.getName().equals("equals");
    }

    private Pod member(String name, String role, String uid) {
      return see(
          name,
          "Job/train",
          "jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: %s, jobset.sigs.k8s.io/jobset-uid: %s"
              .formatted(role, uid));
    }

    private void jobSet(int roles) {
      own(
          """
          apiVersion: jobset.x-k8s.io/v1alpha2
          kind: JobSet
          metadata: {namespace: ml, name: train, uid: o1}
          spec: {replicatedJobs: [%s]}
          """
              .formatted(
                  IntStream.range(0, roles)
                      .mapToObj(i ->
                          "{name: r%d, replicas: 2, template: {spec: {template: {spec: %s}}}}"
                              .formatted(i, GPUS))
                      .collect(Collectors.joining(", "))));
    }

    /// Returns the number of uses for a Job of this role that ends.
    private int usesOfOneJob(String role) {
      settle();
      uses = 0;
      make(
          """
          apiVersion: batch/v1
          kind: Job
          metadata:
            namespace: ml
            name: train-%1$s-0
            labels: {jobset.sigs.k8s.io/jobset-name: train, jobset.sigs.k8s.io/replicatedjob-name: %1$s}
          spec: {parallelism: 1}
          status: {succeeded: 1}
          """
              .formatted(role));
      return uses;
    }

    private Pod leader(int replica) {
      return see(
          "vllm-" + replica,
          "StatefulSet/vllm",
          """
          leaderworkerset.sigs.k8s.io/name: vllm, leaderworkerset.sigs.k8s.io/group-index: "%d",
          leaderworkerset.sigs.k8s.io/worker-index: "0"
          """
              .formatted(replica));
    }

    /// Returns the number of uses for one pod that ends.
    private int usesOfOnePod(int roles) {
      Pod pod = member("last", "r0", "o1");
      minimum("jobset-train", 2 * roles, "JobSet/train", "o1");
      settle();
      uses = 0;
      ends(pod, "Succeeded");
      assertThat(minimumOf(_ -> {})).isEqualTo(2 * roles);
      settle();
      return uses;
    }
  }

  private static int withRoles(int roles) {
    CountedScene scene = new CountedScene("JobSet");
    scene.jobSet(roles);
    for (int i = 0; i < roles; i++) {
      scene.member("p" + i, "r" + i, "o1");
    }
    return scene.usesOfOnePod(roles);
  }

  private static int withForeignPods(int uids) {
    CountedScene scene = new CountedScene("JobSet");
    scene.jobSet(2);
    for (int i = 0; i < uids; i++) {
      scene.member("p" + i, "r0", "u" + i);
    }
    return scene.usesOfOnePod(2);
  }

  private static void assertSame(IntFunction<Integer> uses) {
    assertThat(uses.apply(200)).isEqualTo(uses.apply(4));
  }

  @Test
  void cost_of_a_pod_does_not_grow_with_the_roles_of_its_owner() {
    assertSame(ManyRolesTest::withRoles);
  }

  @Test
  void cost_of_a_pod_does_not_grow_with_the_uids_that_other_pods_state() {
    assertSame(ManyRolesTest::withForeignPods);
  }

  private static int jobWithRoles(int roles) {
    CountedScene scene = new CountedScene("JobSet");
    scene.jobSet(roles);
    for (int i = 0; i < roles; i++) {
      scene.member("p" + i, "r" + i, "o1");
    }
    return scene.usesOfOneJob("r0");
  }

  /// No PodGroup exists yet, so the pods that have started are counted.
  private static int withReplicas(int replicas) {
    CountedScene scene = new CountedScene("LeaderWorkerSet");
    scene.settle();
    scene.own(
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {namespace: ml, name: vllm, uid: o1}
        spec: {replicas: %d, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: %s}}}
        """
            .formatted(replicas, OwnerScene.GPUS));
    for (int i = 1; i < replicas; i++) {
      scene.runs(scene.leader(i));
    }
    CountedScene.uses = 0;
    scene.leader(0);
    assertThat(scene.wanted).hasSize(replicas);
    return CountedScene.uses;
  }

  @Test
  void cost_of_a_job_does_not_grow_with_the_roles_of_its_owner() {
    assertSame(ManyRolesTest::jobWithRoles);
  }

  @Test
  void cost_of_a_pod_does_not_grow_with_the_replicas_of_its_owner() {
    assertSame(ManyRolesTest::withReplicas);
  }

  /// Returns one of many texts that have the same hash code.
  private static String colliding(int number) {
    return IntStream.range(0, 10)
        .mapToObj(bit -> (number >> bit & 1) == 0 ? "ao" : "c1")
        .collect(Collectors.joining());
  }

  private static CountedScene withCollidingRoles(int roles) {
    CountedScene scene = new CountedScene("JobSet");
    scene.jobSet(2);
    for (int i = 1; i <= roles; i++) {
      scene.member("p" + i, colliding(i), "o1");
    }
    CountedScene.uses = 0;
    return scene;
  }

  @Test
  void cost_of_a_pod_does_not_grow_with_roles_of_equal_hash_codes() {
    withCollidingRoles(500).member("last", colliding(0), "o1");

    assertThat(CountedScene.uses).isBetween(1, 400);
  }

  @Test
  void cost_of_an_owner_is_linear_in_roles_of_equal_hash_codes() {
    withCollidingRoles(500).jobSet(3);

    assertThat(CountedScene.uses).isBetween(500, 500 * 100);
  }
}

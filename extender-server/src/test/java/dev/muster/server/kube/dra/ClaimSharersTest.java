package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.dra.ClaimSharers.Sharer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/// Pods that name one ResourceClaim are known in the order in which they came.
class ClaimSharersTest {
  static final int PODS = 4;
  static final int CLAIMS = 3;

  private static Pod pod(String name, Set<String> claims) {
    StringBuilder entries = new StringBuilder();
    claims.forEach(
        claim -> entries.append("{name: %s, resourceClaimName: %s},".formatted(claim, claim)));
    return Yaml.pod(
        "kind: Pod\nmetadata: {name: %s, namespace: ml, uid: u-%s}\nspec: {resourceClaims: [%s]}\n"
            .formatted(name, name, entries));
  }

  /// Each number is a pod with the claims that it names from now on, or none: it is gone.
  @Property(tries = 300)
  void first_pod_and_freed_claims_are_those_of_a_plain_list(
      @ForAll @Size(max = 30) List<@IntRange(max = PODS * (1 << CLAIMS) - 1) Integer> changes) {
    ClaimSharers sharers = new ClaimSharers();
    Map<String, Map<String, Sharer>> plain = new LinkedHashMap<>();
    for (int change : changes) {
      String name = "p" + change % PODS;
      Set<String> claims = new TreeSet<>();
      for (int i = 0; i < CLAIMS; i++) {
        if ((((change / PODS) >> i) & 1) > 0) {
          claims.add("c" + i);
        }
      }
      if (claims.isEmpty()) {
        sharers.gone("ml/" + name);
      } else {
        sharers.seen(pod(name, claims), false);
      }

      Set<String> freed = new TreeSet<>();
      for (int i = 0; i < CLAIMS; i++) {
        String claim = "c" + i;
        Map<String, Sharer> pods = plain.computeIfAbsent(claim, _ -> new LinkedHashMap<>());
        boolean first = !pods.isEmpty() && pods.keySet().iterator().next().equals(name);
        if (claims.contains(claim)) {
          pods.put(name, new Sharer(name, "u-" + name));
        } else if (pods.remove(name) != null && first && !pods.isEmpty()) {
          freed.add("ml/" + claim);
        }
        assertThat(sharers.first("ml/" + claim)).isEqualTo(pods.values().stream().findFirst());
      }
      assertThat(sharers.freed()).isEqualTo(freed);
    }
  }

  /// Any number of large claims could be kept by pods.
  @Test
  void only_devices_and_holders_are_kept_of_a_deleted_claim() {
    Pod pod = pod("p", Set.of("c"));
    pod.getSpec().setNodeName("n");
    ResourceClaim claim =
        Serialization.unmarshal(
            """
            metadata: {namespace: ml, name: c, uid: c, labels: {a: b}}
            spec: {devices: {requests: [{name: r}]}}
            status: {allocation: {devices: {results: []}}, reservedFor: [{resource: pods, name: p, uid: u-p}]}
            """,
            ResourceClaim.class);
    ClaimSharers sharers = new ClaimSharers();
    sharers.seen(pod, false);
    sharers.deleted("ml/c", claim);

    ResourceClaim kept = sharers.kept(pod, "ml/c").orElseThrow();
    assertThat(kept.getSpec()).isNull();
    assertThat(kept.getMetadata().getLabels()).isNullOrEmpty();
    assertThat(kept.getStatus()).isEqualTo(claim.getStatus());
  }

  private static long allocatedFor(int pods) {
    List<Pod> all = IntStream.range(0, pods).mapToObj(i -> pod("p" + i, Set.of("c"))).toList();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    ClaimSharers sharers = new ClaimSharers();
    all.forEach(pod -> sharers.seen(pod, false));
    all.forEach(pod -> sharers.gone("ml/" + pod.getMetadata().getName()));
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void memory_for_one_pod_does_not_grow_with_others_of_its_claim() {
    var _ = allocatedFor(300);
    long some = allocatedFor(300);
    long many = allocatedFor(3_000);

    assertThat(many).isLessThan(20 * some);
  }
}

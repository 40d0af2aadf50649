package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.MessageLimit;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The worst object of one tenant delays the gang of another one by a second at most.
///
/// The cluster has 5,000 nodes. The measure is memory, which is the same on every machine: work of
/// a second allocates more than the bound here. [HostileTenantsBench] measures the time.
class TenantDelayTest {
  private static final int NODES = 5_000;

  /// Bytes for the objects of one test and the gang of the other tenant.
  private static final long BOUND = 600L << 20;

  private static TenantWorld world = new TenantWorld(0);

  @BeforeAll
  static void build() {
    world = new TenantWorld(NODES);
  }

  private static void delaysNobody(String test, Consumer<TenantWorld> objects) {
    delaysNobody(world, test, objects);
  }

  private static void delaysNobody(TenantWorld world, String test, Consumer<TenantWorld> objects) {
    world.messages.clear();
    long before = TenantWorld.allocated();
    objects.accept(world);
    world.step();
    boolean admitted = world.admitsGangOf("other-" + test);
    long bytes = TenantWorld.allocated() - before;

    assertThat(admitted).as("admitted in the step of its last pod").isTrue();
    assertThat(bytes).as("bytes").isLessThan(BOUND);
    assertThat(world.messages.values())
        .allSatisfy(
            message -> assertThat(message.length()).isLessThanOrEqualTo(MessageLimit.CHARACTERS));
  }

  @Test
  void pods_beyond_the_budget() {
    delaysNobody("a", tenant -> HostileTenantsBench.affinity(tenant, 10, 1, 20_000, 42));

    assertThat(world.messages.get("hostile/p0"))
        .contains("The field spec.affinity.nodeAffinity has 20000 values; the limit is 2000.");
  }

  @Test
  void pod_with_as_many_node_names_as_the_budget_allows() {
    delaysNobody("b", tenant -> HostileTenantsBench.affinity(tenant, 1, 1, 2_000, 30));
  }

  @Test
  void pod_with_as_many_terms_as_the_budget_allows() {
    delaysNobody("c", tenant -> HostileTenantsBench.affinity(tenant, 1, 50, 30, 30));
  }

  @Test
  void pod_groups_beyond_the_budget() {
    delaysNobody("d", tenant -> HostileTenantsBench.models(tenant, 10, 25_000));

    assertThat(world.messages.get("hostile/g0"))
        .startsWith("The annotation muster.dev/gpu-models has ")
        .contains("models; the limit is 50.");
  }

  @Test
  void pod_group_with_as_many_models_as_the_budget_allows() {
    delaysNobody("e", tenant -> HostileTenantsBench.models(tenant, 1, 50));
  }

  @Test
  void pod_group_with_as_many_kinds_of_pods_as_the_budget_allows() {
    delaysNobody("f", tenant -> CostlyGangs.kinds(tenant, CostlyGangs.KINDS));
  }

  /// Each pod makes another question. The first search is not measured.
  @Test
  void gang_of_two_kinds_that_gets_more_pods() {
    world.group(TenantWorld.group("growing", "grows", 2_000, Map.of()));
    CostlyGangs.pods(world, 0, 2_000);
    delaysNobody("n", tenant -> CostlyGangs.pods(tenant, 2_000, 2_020));
  }

  @Test
  void pod_group_of_thousands_of_pods_of_two_kinds() {
    delaysNobody("l", tenant -> CostlyGangs.kinds(tenant, 2_000, 2));
  }

  /// No rack holds them, although its free CPU is more than they need.
  @Test
  void pod_group_of_many_kinds_that_few_nodes_of_a_rack_hold() {
    delaysNobody(TenantWorld.ofRacks(NODES), "m", tenant -> CostlyGangs.halves(tenant, 16, 16, 30));
  }

  /// Half of the pods fit everywhere, the others on no node together.
  @Test
  void pod_group_with_pods_for_a_full_node() {
    delaysNobody(new TenantWorld(NODES), "o", CostlyGangs::pinned);
  }

  @Test
  void pod_group_of_slices_that_differ() {
    delaysNobody(TenantWorld.ofRacks(NODES), "r", CostlyGangs::slices);
  }

  /// Each of them may start with what becomes free.
  @Test
  void many_waiting_pod_groups_of_many_kinds() {
    TenantWorld crowded = CostlyGangs.crowded(NODES);
    delaysNobody(crowded, "p", tenant -> tenant.gone("system/agent-77"));
  }

  /// None of the nodes suits most of the pods.
  @Test
  void ticks_with_waiting_pod_groups_of_impossible_kinds() {
    TenantWorld waiting = new TenantWorld(NODES);
    CostlyGangs.impossible(waiting);
    for (int i = 0; i < 10; i++) {
      waiting.tick(); // until each has its answer
    }
    delaysNobody(
        waiting,
        "s",
        tenant -> {
          for (int i = 0; i < 3; i++) {
            tenant.tick();
          }
        });
  }

  @Test
  void changes_of_a_pod_on_a_node_promised_to_many_gangs() {
    delaysNobody(CostlyGangs.promised(), "t", tenant -> CostlyGangs.podChanges(tenant, 200));
  }

  @Test
  void pod_group_with_many_finished_runs() {
    delaysNobody("g", tenant -> HostileTenantsBench.runs(tenant, 3_200));
  }

  @Test
  void pod_with_thousands_of_resources() {
    delaysNobody("h", tenant -> HostileTenantsBench.resources(tenant, 20_000));
  }

  @Test
  void resource_claim_of_costly_selectors() {
    delaysNobody(
        new TenantWorld(NODES, true), "j", tenant -> HostileTenantsBench.claims(tenant, 1));
  }

  /// Each selector is new and selects all GPUs. Usual evaluations cost the tenant nothing.
  @Test
  void second_of_resource_claims_of_cheap_selectors() {
    delaysNobody(
        TenantWorld.measuredByBytes(NODES),
        "k",
        tenant -> {
          HostileTenantsBench.cheapClaims(tenant, 1_000);
          tenant.tick();
        });
  }

  @Test
  void gangs_in_many_namespaces_and_queues_of_their_own() {
    delaysNobody("i", tenant -> HostileTenantsBench.namespaces(tenant, 500));
  }
}

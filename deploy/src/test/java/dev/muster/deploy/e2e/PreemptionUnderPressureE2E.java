package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Preemption works despite disruption budgets, changed policy files and kube-scheduler's own
/// preemption.
class PreemptionUnderPressureE2E {
  private static final Path POLICY =
      Path.of("target", "e2e", "pressure-policy", "policy.yaml").toAbsolutePath();
  private static final String NO_PROBLEMS = "\"problems\":[]";
  private static final String IN_FORCE =
      """
      apiVersion: policy.muster.dev/v1
      kind: PreemptionPolicy
      rules:
        - {name: told-first, to: {labels: {told: first}}, when: preemptor.priority > victim.priority, action: Allow, notice: 15s}
        - {name: higher-priority, when: preemptor.priority > victim.priority, action: Allow}
      protect:
        - {name: kept, victims: {labels: {keep: "yes"}}}
      limits: {cooldown: 2s, evictionsPerHour: 10000, maxPreemptions: {count: 1000, per: 1h}}
      """;

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().with("preemption: {policy: '%s'}".formatted(written().getParent()));

  private final TestCluster cluster = STAGE.cluster();
  private final TestGangs gangs = STAGE.gangs();

  private static Path written() {
    try {
      Files.createDirectories(POLICY.getParent());
      return Files.writeString(POLICY, IN_FORCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void createPriorities() {
    new TestPriorities(STAGE.admin()).create(50, 100);
  }

  @AfterEach
  void restore() throws IOException {
    STAGE.admin().policy().v1().podDisruptionBudget().inNamespace("default").delete();
    inForce(IN_FORCE);
  }

  private static void inForce(String policy) throws IOException {
    Files.writeString(POLICY, policy);
    String loaded = "\"revision\":\"%s\"".formatted(revision(policy));
    patiently("the policy is in force")
        .until(() ->
            STAGE.page("/readyz").contains(loaded) && STAGE.page("/readyz").contains(NO_PROBLEMS));
  }

  /// Returns the revision as `sha256sum policy.yaml | cut -c1-12` prints it.
  private static String revision(String policy) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(policy.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ConditionFactory patiently(String what) {
    return await(what).atMost(Duration.ofSeconds(90));
  }

  // ---- Budgets ----

  /// One of the gang's pods must stay available.
  private static void guard(String gang) {
    STAGE
        .admin()
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName(gang)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withMinAvailable(new IntOrString(1))
                .withNewSelector()
                .withMatchLabels(Map.of(TestGangs.LABEL, gang))
                .endSelector()
                .endSpec()
                .build())
        .create();
    patiently("the budget allows one").until(() -> allowed(gang) == 1);
  }

  private static int allowed(String budget) {
    var found =
        STAGE
            .admin()
            .policy()
            .v1()
            .podDisruptionBudget()
            .inNamespace("default")
            .withName(budget)
            .get();
    Integer allowed = found.getStatus() == null ? null : found.getStatus().getDisruptionsAllowed();
    return allowed == null ? 0 : allowed;
  }

  @Test
  void budget_for_one_of_two_pods_spares_the_gang_before_any_eviction() {
    cluster.createNodes(NodeShape.withGpus("ahead-a", 8), NodeShape.withGpus("ahead-b", 8));
    gangs.create("guarded", 2, 4);
    gangs.awaitRunning("guarded", 2);
    guard("guarded");
    gangs.create("dearer", 1, 8, 50);
    gangs.awaitRunning("dearer", 1);

    gangs.create("urgent", 1, 8, 100);

    gangs.awaitRunning("urgent", 1);
    assertThat(gangs.inPhase("guarded", "Running")).isEqualTo(2);
    assertThat(gangs.inPhase("dearer", "Running")).isZero();
    assertThat(gangs.annotation("guarded", "muster.dev/preempted-by")).isEmpty();
  }

  @Test
  void budget_that_refuses_half_way_changes_the_victims() {
    cluster.createNodes(NodeShape.withGpus("half-a", 8), NodeShape.withGpus("half-b", 8));
    gangs.declare("halved", 2);
    gangs.label("halved", Map.of("told", "first"));
    gangs.createMember("halved", 0, 4);
    gangs.createMember("halved", 1, 4);
    gangs.awaitRunning("halved", 2);
    gangs.create("dearer", 1, 8, 50);
    gangs.awaitRunning("dearer", 1);
    gangs.create("urgent", 1, 8, 100);
    patiently("the notice").until(() -> isTold("halved-0") && isTold("halved-1"));

    guard("halved"); // each pod was tried before, and could have been evicted

    patiently("another gang leaves").until(() -> gangs.inPhase("urgent", "Running") == 1);
    assertThat(gangs.inPhase("halved", "Running")).isEqualTo(1);
    assertThat(gangs.inPhase("dearer", "Running")).isZero();
    assertThat(STAGE.page("/api/v1/preemptions"))
        .contains("\"act\":\"spared\",\"gang\":\"default/halved\"");
  }

  private boolean isTold(String pod) {
    return cluster
        .find(pod)
        .map(p -> p.getMetadata().getAnnotations())
        .filter(all -> all.containsKey("muster.dev/preemption-deadline"))
        .isPresent();
  }

  // ---- Reload ----

  @Test
  void invalid_policy_file_under_load_keeps_the_last_good_policy() throws IOException {
    cluster.createNodes(NodeShape.withGpus("load-a", 8), NodeShape.withGpus("load-b", 1));
    try (Load load = new Load()) {
      load.goesOn();
      Files.writeString(POLICY, IN_FORCE.replace("action: Allow", "action: Perhaps"));
      String bad = "muster_policy_last_reload_successful 0";
      patiently("the bad file is seen").until(() -> STAGE.page("/metrics").contains(bad));
      load.goesOn();
      gangs.create("low", 1, 8);
      gangs.awaitRunning("low", 1);
      gangs.create("urgent", 1, 8, 50);
      gangs.awaitRunning("urgent", 1); // by the last good one
      load.goesOn();

      inForce(IN_FORCE.replace("rules:", "mode: Off\nrules:"));

      gangs.create("higher", 1, 8, 100);
      gangs.awaitReason("higher", "WaitingForCapacity");
      load.goesOn();
      assertThat(gangs.inPhase("urgent", "Running")).isEqualTo(1);
    }
  }

  /// Pods that arrive, run and end, one after the other.
  private final class Load implements AutoCloseable {
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Thread thread = Thread.ofVirtual().start(this::run);

    private void run() {
      for (int i = 0; !over.get(); i++) {
        String pod = "load-" + i;
        cluster.create(TestPriorities.of(gpuPod(pod, 1), 100));
        cluster.awaitRunning(pod);
        cluster.delete(pod);
        cluster.awaitGone(pod);
        ran.incrementAndGet();
      }
    }

    void goesOn() {
      int before = ran.get();
      patiently("more pods run").until(() -> ran.get() >= before + 3);
    }

    @Override
    public void close() {
      over.set(true);
      patiently("the load ends").until(() -> !thread.isAlive());
    }
  }

  // ---- kube-scheduler's own preemption ----

  @Nested
  class OwnPreemption extends OwnPreemptionScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Test
  void kube_scheduler_preempts_no_gang_while_the_policy_is_off() throws IOException {
    inForce(IN_FORCE.replace("rules:", "mode: Off\nrules:"));
    cluster.createNodes(NodeShape.withGpus("off", 1));
    cluster.create(OwnPreemptionScenarios.big(gpuPod("lone", 1)));
    cluster.awaitRunning("lone");

    cluster.create(TestPriorities.of(OwnPreemptionScenarios.web("web"), 100));

    cluster.awaitUnschedulable("web");
    await("it stays")
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(10))
        .until(() -> cluster.find("lone").isPresent());
  }
}

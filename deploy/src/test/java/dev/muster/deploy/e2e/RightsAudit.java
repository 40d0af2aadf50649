package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The roles of Muster are what it uses, by the audit logs that the end-to-end tests have left. The
/// build runs this after them.
class RightsAudit {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path LOGS = ShippedFiles.folder().resolve("target/e2e");
  private static final Path BUILT = ShippedFiles.folder().resolve("target/muster/built");

  /// Roles of Muster in the manifests. Those of its users have other names.
  private static final List<String> ROLES = List.of("muster", "muster-lease");

  /// API groups of job controllers, which few of the tests install.
  private static final Set<String> OPTIONAL =
      Set.of("jobset.x-k8s.io", "leaderworkerset.x-k8s.io", "kubeflow.org", "ray.io");

  /// Rights that no end-to-end test uses, with the reason.
  private static final Map<ApiRight, String> KEPT =
      Map.of(
          new ApiRight("delete", "scheduling.x-k8s.io", "podgroups", ""),
          "Only LeaderWorkerSets give replicas up; OperatorLeaderWorkerSetRun uses it.");

  private final Set<ApiRight> rights = rights();

  /// What the tests used, each with a test that did: a right, or a use that no right allows.
  private final Map<ApiRight, String> used = new LinkedHashMap<>();

  RightsAudit() throws IOException {
    try (Stream<Path> tests = Files.list(LOGS)) {
      for (Path test : tests.sorted().toList()) {
        read(test.getFileName().toString(), test.resolve(TestSite.AUDIT_LOG));
      }
    }
  }

  @Test
  void every_use_is_granted() {
    assumeTrue(
        String.valueOf(System.getProperty("e2e")).matches(".*(E2E|Operator).*"),
        "A benchmark is no test.");
    assertThat(used).as("requests in " + LOGS).isNotEmpty();
    assertThat(used.entrySet()).filteredOn(use -> !rights.contains(use.getKey())).isEmpty();
  }

  @Test
  void every_right_is_used() {
    assumeTrue("*E2E".equals(System.getProperty("e2e")), "Only all tests use all rights.");
    assumeTrue(GoBinary.CONTROL_PLANE.isFrom(36), "Kubernetes 1.36 is the first with a PodGroup.");
    assertThat(rights)
        .filteredOn(right -> !used.containsKey(right) && !OPTIONAL.contains(right.group()))
        .containsExactlyInAnyOrderElementsOf(KEPT.keySet());
  }

  private static Set<ApiRight> rights() {
    return ShippedFiles.built("manifests").stream()
        .filter(object -> ROLES.contains(object.getMetadata().getName()))
        .flatMap(RightsAudit::rules)
        .flatMap(ApiRight::grantedBy)
        .collect(Collectors.toSet());
  }

  private static Stream<PolicyRule> rules(HasMetadata object) {
    return switch (object) {
      case ClusterRole role -> role.getRules().stream();
      case Role role -> role.getRules().stream();
      default -> Stream.of();
    };
  }

  private void read(String test, Path log) throws IOException {
    if (!test.matches(".*E2E|Operator.*") || Files.notExists(log) || isOlderThanBuild(log)) {
      return; // A benchmark, a process that is no control plane, or an earlier run.
    }
    try (MappingIterator<JsonNode> events =
        JSON.readerFor(JsonNode.class).readValues(log.toFile())) {
      while (events.hasNextValue()) {
        JsonNode event = events.nextValue();
        if (event.has("objectRef") && !isAllowedByOthers(event.path("annotations"))) {
          note(ApiRight.asked(event.path("verb").asText(), event.path("objectRef")), test);
        }
      }
    }
  }

  /// Each run of the end-to-end tests begins with a new distribution.
  private static boolean isOlderThanBuild(Path log) throws IOException {
    return Files.getLastModifiedTime(log).compareTo(Files.getLastModifiedTime(BUILT)) < 0;
  }

  /// True if the request needed none of Muster's own roles: every user may ask for the version, and
  /// a test may give a further right.
  private static boolean isAllowedByOthers(JsonNode annotations) {
    String why = annotations.path("authorization.k8s.io/reason").asText();
    return annotations.path("authorization.k8s.io/decision").asText().equals("allow")
        && ROLES.stream().noneMatch(role -> why.contains("Role \"" + role + "\""));
  }

  private void note(ApiRight use, String test) {
    List<ApiRight> allow = rights.stream().filter(right -> right.allows(use)).toList();
    allow.forEach(right -> used.putIfAbsent(right, test));
    if (allow.isEmpty()) {
      used.putIfAbsent(use.toAll(), test);
    }
  }
}

package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.OwnerEntry;
import dev.muster.policy.config.OwnerRules;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The gang of an owner of a kind from the configuration.
class ConfiguredKindTest extends OwnerScene {
  private static final OwnerEntry BY_FIELD =
      new OwnerEntry(
          "example.com/v1",
          "Simulation",
          "simulations",
          "example.com/simulation",
          Optional.of("spec.grid.cells"),
          Optional.empty());

  private static final OwnerEntry BY_LABEL =
      new OwnerEntry(
          "example.com/v1",
          "Sweep",
          "sweeps",
          "example.com/sweep",
          Optional.empty(),
          Optional.of("example.com/size"));

  ConfiguredKindTest() {
    super(List.of(BY_FIELD, BY_LABEL));
  }

  private static String owner(String kind, String spec) {
    return """
    apiVersion: example.com/v1
    kind: %s
    metadata: {namespace: ml, name: wind, uid: o1}
    spec: %s
    """
        .formatted(kind, spec);
  }

  @Test
  void field_of_the_owner_states_the_size() {
    own(owner("Simulation", "{grid: {cells: 6}}"));

    assertThat(gangOf(see("a", "Simulation/wind", "example.com/simulation: wind")))
        .isEqualTo("simulation-wind");
    assertThat(requested()).containsExactly("simulation-wind=6");
  }

  @Test
  void label_of_the_pods_states_the_size() {
    own(owner("Sweep", "{}"));
    see("a", "StatefulSet/wind", "example.com/sweep: wind, example.com/size: \"3\"");

    assertThat(requested()).containsExactly("sweep-wind=3");
    assertThat(minimum("sweep-wind", 2, "Sweep/wind", "o1")).isEqualTo(3);
  }

  @Test
  void configured_kind_replaces_the_known_one() {
    OwnerEntry jobSet =
        new OwnerEntry(
            "jobset.x-k8s.io/v1",
            "JobSet",
            "jobsets",
            "example.com/set",
            Optional.of("spec.n"),
            Optional.empty());
    assertThat(OwnerKinds.with(List.of(jobSet)).kinds())
        .extracting(OwnerKind::api)
        .filteredOn(api -> api.kind().equals("JobSet"))
        .extracting(OwnerKind.Api::versions)
        .containsExactly(List.of("jobset.x-k8s.io/v1"));
  }

  /// The configuration refuses kinds by this table, without reading the classes of kinds.
  @Test
  void configuration_knows_the_groups_of_all_known_kinds() {
    Map<String, String> groups = new TreeMap<>();
    for (OwnerKind kind : OwnerKinds.with(List.of()).kinds()) {
      for (String version : kind.api().versions()) {
        String group = version.substring(0, version.indexOf('/'));
        groups.put(kind.api().kind().toLowerCase(Locale.ROOT), group);
      }
    }
    assertThat(groups).isEqualTo(OwnerRules.KNOWN);
  }

  @Test
  void pod_without_a_controller_is_alone() {
    var pod = pod("a", "Simulation/wind", "example.com/simulation: wind");
    pod.getMetadata().setOwnerReferences(List.of());

    assertThat(gangOf(pod)).isEmpty();
  }
}

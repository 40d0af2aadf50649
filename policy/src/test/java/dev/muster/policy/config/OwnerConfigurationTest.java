package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerConfigurationTest extends ConfigurationFiles {
  private static final String SIMULATION =
      "apiVersion: example.com/v1, kind: Simulation, plural: simulations, groupLabel: example.com/simulation";

  private static String problems(String fields) {
    return ExpectedRefusal.of("owners:\n  - {%s}\n".formatted(fields));
  }

  @Test
  void owner_with_the_field_of_its_size_is_read() {
    OwnerEntry owner =
        value(load("owners: [{%s, sizeField: spec.replicas}]\n".formatted(SIMULATION)))
            .owners()
            .getFirst();

    assertThat(owner)
        .isEqualTo(
            new OwnerEntry(
                "example.com/v1",
                "Simulation",
                "simulations",
                "example.com/simulation",
                Optional.of("spec.replicas"),
                Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sizeField: spec.replicas", "sizeLabel: example.com/size"})
  void owner_is_read_from_the_settings_of_a_journal(String size) {
    OwnerEntry owner =
        value(load("owners: [{%s, %s}]\n".formatted(SIMULATION, size))).owners().getFirst();

    assertThat(OwnerEntry.ofText(owner.toText())).isEqualTo(owner);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "example.com/v1 Simulation", "example.com/v1 Simulation simulations x/y n"})
  void other_text_in_the_settings_of_a_journal_is_refused(String text) {
    assertThatThrownBy(() -> OwnerEntry.ofText(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("The kind of owner \"%s\" is not readable.", text);
  }

  @Test
  void owner_states_its_size_once() {
    assertThat(problems(SIMULATION))
        .isEqualTo(
            "muster.yaml:4:5: owners[0]: has neither sizeField nor sizeLabel. One of them must state the number of pods.");
    assertThat(problems(SIMULATION + ", sizeField: spec.n, sizeLabel: n"))
        .isEqualTo(
            "muster.yaml:4:5: owners[0]: has sizeField and sizeLabel. One of them must state the number of pods.");
  }

  @ParameterizedTest
  @CsvSource({
    "kind: Simulation, kind: simulation, 4:40",
    "sizeField: spec.n, sizeField: spec..n, 4:120",
    "groupLabel: example.com/simulation, groupLabel: '!', 4:85"
  })
  void malformed_field_is_told_with_its_place(String good, String bad, String place) {
    assertThat(problems((SIMULATION + ", sizeField: spec.n").replace(good, bad)))
        .startsWith("muster.yaml:" + place);
  }

  /// PodGroups are named after the kind in lower case, so these would share their names.
  @Test
  void kinds_differ_in_more_than_case() {
    String owner = "  - {%s, sizeField: spec.n}\n".formatted(SIMULATION);
    String other = owner.replace("kind: Simulation", "kind: SimuLation");
    assertThat(ExpectedRefusal.of("owners:\n" + owner + other))
        .contains("owners[1].kind: \"SimuLation\" is already the kind of owners[0].");
  }

  @ParameterizedTest
  @CsvSource({
    "Job, batch.volcano.sh/v1alpha1, batch",
    "JobSet, example.com/v1, jobset.x-k8s.io",
    "RAYCluster, example.com/v1, ray.io",
    "TFJob, batch/v1, kubeflow.org"
  })
  void known_kind_of_another_group_is_refused(String kind, String version, String known) {
    assertThat(problems(ofKind(kind, version)))
        .startsWith("muster.yaml:4:")
        .contains(
            "owners[0].kind: \"%s\" is a kind of %s too, of which Muster forms gangs."
                .formatted(kind, known));
  }

  @Test
  void known_kind_of_its_own_group_is_replaced() {
    String owner = ofKind("JobSet", "jobset.x-k8s.io/v1");
    assertThat(value(load("owners: [{%s}]\n".formatted(owner))).owners()).hasSize(1);
  }

  private static String ofKind(String kind, String version) {
    return SIMULATION
            .replace("kind: Simulation", "kind: " + kind)
            .replace("example.com/v1", version)
        + ", sizeField: spec.n";
  }

  @Test
  void kind_is_named_once() {
    String owner = "  - {%s, sizeField: spec.n}\n".formatted(SIMULATION);
    assertThat(ExpectedRefusal.of("owners:\n" + owner + owner))
        .contains("owners[1].kind: \"Simulation\" is already the kind of owners[0].");
  }
}

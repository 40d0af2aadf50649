package dev.muster.simulator.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// A sweep is split by what is called for, else by what a Kubernetes Indexed Job tells its pods.
final class PartTest {
  private static final Map<String, String> POD_1 = Map.of("JOB_COMPLETION_INDEX", "1");

  @Test
  void ofAnIndexedJobEachPodRunsItsOwn() {
    assertThat(Part.of(null, 2, POD_1)).isEqualTo(new Part(1, 2));
  }

  @Test
  void whatIsCalledForWins() {
    assertThat(Part.of(0, 2, POD_1)).isEqualTo(new Part(0, 2));
  }

  @Test
  void elseItIsTheFirst() {
    assertThat(Part.of(null, 1, Map.of())).isEqualTo(new Part(0, 1));
  }

  @Test
  void aVariableThatIsNoNumberIsNamed() {
    assertThatThrownBy(() -> Part.of(null, 2, Map.of("JOB_COMPLETION_INDEX", "abc")))
        .hasMessage("$JOB_COMPLETION_INDEX: \"abc\" is not a whole number in range.");
  }

  @Test
  void aPartThatDoesNotExistSaysWhoNamedIt() {
    assertThatThrownBy(() -> Part.of(null, 1, POD_1))
        .hasMessageStartingWith("$JOB_COMPLETION_INDEX 1 is out of range: there are 1 parts");
    assertThatThrownBy(() -> Part.of(2, 2, POD_1))
        .hasMessageStartingWith("--index 2 is out of range: there are 2 parts");
  }
}

package dev.muster.simulator.cli;

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
        .hasMessage(
            "$JOB_COMPLETION_INDEX is \"abc\", which is not a whole number, or too large. Maybe unset it, or name the part with --index.");
  }

  @Test
  void aPartThatDoesNotExistSaysWhoNamedIt() {
    assertThatThrownBy(() -> Part.of(null, 1, POD_1))
        .hasMessageStartingWith("The part $JOB_COMPLETION_INDEX 1 --of 1 does not exist");
    assertThatThrownBy(() -> Part.of(2, 2, POD_1))
        .hasMessageStartingWith("The part --index 2 --of 2 does not exist");
  }
}

package dev.muster.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.Requirement.Operator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Conditions on labels compare integers of 64 bits, as Kubernetes does.
class RequirementTest {
  private static boolean holds(Operator operator, String operand, String label) {
    return new Requirement("key", operator, List.of(operand)).holdsFor(label);
  }

  @ParameterizedTest
  @CsvSource({
    "10, 9",
    "+1, 0",
    "0, -1",
    "-8, -9",
    "00000000000000000000000011, 10",
    "9223372036854775807, 9223372036854775806",
    "-9223372036854775807, -9223372036854775808",
  })
  void integers_are_compared(String greater, String less) {
    assertThat(holds(Operator.GT, less, greater)).isTrue();
    assertThat(holds(Operator.LT, greater, less)).isTrue();
    assertThat(holds(Operator.GT, greater, less)).isFalse();
    assertThat(holds(Operator.GT, less, less)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"''", "-", "1a", "1.5", "9223372036854775808", "-9223372036854775809", "node-1"})
  void text_that_is_no_integer_is_neither_greater_nor_less(String text) {
    assertThat(holds(Operator.GT, "1", text)).isFalse();
    assertThat(holds(Operator.LT, "1", text)).isFalse();
    assertThat(holds(Operator.GT, text, "1")).isFalse();
    assertThat(holds(Operator.LT, text, "1")).isFalse();
  }
}

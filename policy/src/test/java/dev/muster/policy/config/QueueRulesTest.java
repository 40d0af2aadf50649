package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueRulesTest {
  private static String problems(String quotas) {
    return ExpectedRefusal.of("queues:\n  - name: a\n    " + quotas.replace("; ", "\n    "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          guaranteed: {gpus: 8, models: {H100: 9}}           | 5:42: queues[0].guaranteed.models.H100: 9 is more than guaranteed.gpus (8).
          guaranteed: {gpus: 8, models: {H100: 5, A100: 4}}  | 5:35: queues[0].guaranteed.models: H100 and A100 together are 9, more than guaranteed.gpus (8).
          guaranteed: {models: {H100: 5, A100: 4}}; maximum: {gpus: 8} | 5:26: queues[0].guaranteed.models: H100 and A100 together are 9, more than maximum.gpus (8).
          guaranteed: {gpus: 8, models: {H100: 2, H100-80GB: 6, A100: 3}} | 5:35: queues[0].guaranteed.models: H100 and H100-80GB and A100 together are 9, more than guaranteed.gpus (8).
          """)
  void guarantees_of_models_are_within_the_total(String quotas, String problem) {
    assertThat(problems(quotas)).isEqualTo("muster.yaml:" + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          guaranteed: {models: {H100: 9}}; maximum: {models: {h100: 8}}      | 5:33: queues[0].guaranteed.models.H100: 9 is more than maximum.models.h100 (8).
          guaranteed: {models: {H100 80GB: 9}}; maximum: {models: {H100: 8}} | 5:38: queues[0].guaranteed.models["H100 80GB"]: 9 is more than maximum.models.H100 (8).
          guaranteed: {models: {H100-80GB: 5, H100-94GB: 4}}; maximum: {models: {H100: 8}} | 5:26: queues[0].guaranteed.models: H100-80GB and H100-94GB together are 9, more than maximum.models.H100 (8).
          """)
  void names_of_models_are_compared_after_normalisation(String quotas, String problem) {
    assertThat(problems(quotas)).isEqualTo("muster.yaml:" + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          guaranteed: {models: {H100: 4, h100: 8}} | 5:42: queues[0].guaranteed.models.h100: is equivalent to "H100".
          maximum: {models: {A100 80GB: 4, a100-80gb: 8}} | 5:49: queues[0].maximum.models.a100-80gb: is equivalent to "A100 80GB".
          """)
  void model_is_named_once(String quotas, String problem) {
    assertThat(problems(quotas)).isEqualTo("muster.yaml:" + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          guaranteed: {gpus: 8, models: {H100: 4, A100: 4}}; maximum: {gpus: 8}
          guaranteed: {gpus: 8, models: {H100: 8, H100-80GB: 6}}
          guaranteed: {models: {H100: 8}}; maximum: {models: {H100-80GB: 4}}
          guaranteed: {gpus: 8, models: {H100: 0}}; maximum: {gpus: 8, models: {H100: 16}}
          maximum: {gpus: 8, models: {H100: 8, A100: 8}}
          """)
  void satisfiable_guarantees_are_accepted(String quotas) {
    assertThat(problems(quotas)).isEmpty();
  }
}

package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The API server asks the webhook only about pods that could see GPUs of others.
class WebhookConditionTest {
  private static final String GPU = "\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}";
  private static final String HIDES = "/webhooks/1/matchConditions/0/expression";
  private static final String OWN = "\"env\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\"}]";

  private static boolean isAsked(String containers)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    return holds("manifests/webhook/webhook.yaml", HIDES, containers.formatted(GPU, OWN));
  }

  /// Evaluates a condition for a pod, with few iterations, so for less than the API server allows.
  private static boolean holds(String file, String condition, String spec)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    String expression = ShippedFiles.documents(file).getFirst().at(condition).asText();
    Cel cel =
        CelFactory.plannerCelBuilder()
            .setOptions(
                CelOptions.current()
                    .enableHeterogeneousNumericComparisons(true)
                    .comprehensionMaxIterations(200)
                    .build())
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("request", SimpleType.DYN)
            .addVar("object", SimpleType.DYN)
            .build();
    Object pod = new ObjectMapper().readValue("{\"spec\":{%s}}".formatted(spec), Map.class);
    return (Boolean)
        cel.createProgram(cel.compile(expression).getAst())
            .eval(Map.of("request", Map.of("subResource", ""), "object", pod));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"containers\":[{%s},{}]",
        "\"containers\":[{%s,%s}]",
        "\"containers\":[{%1$s}],\"initContainers\":[{%1$s,%2$s}]",
        "\"nodeName\":\"n\",\"containers\":[{%s}]"
      })
  void asks_about_containers_that_may_see_other_gpus(String containers)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    assertThat(isAsked(containers)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"containers\":[{%s}]", "\"containers\":[{%s,\"env\":[]}]"})
  void asks_about_no_others(String containers)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    assertThat(isAsked(containers)).isFalse();
  }

  /// Returns more entries than a condition may compare.
  private static String many(String list) {
    return IntStream.range(0, 1_000)
        .mapToObj("{\"name\":\"a%d\"}"::formatted)
        .collect(Collectors.joining(",", "\"%s\":[".formatted(list), "]"));
  }

  /// Otherwise the condition fails by its cost, and the webhook is not called.
  @Test
  void variables_in_any_number_do_not_let_a_pod_pass()
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    assertThat(isAsked("\"containers\":[{%%s,%s},{}]".formatted(many("env")))).isTrue();
  }

  /// Otherwise a pod could be without Muster's gate once its owner removes the other ones.
  @ParameterizedTest
  @CsvSource({
    "manifests/webhook/webhook.yaml, /webhooks/0/matchConditions/1/expression",
    "manifests/admission-policy/policy.yaml, /spec/matchConditions/1/expression"
  })
  void gates_in_any_number_do_not_let_a_pod_pass(String file, String condition)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    assertThat(holds(file, condition, many("schedulingGates"))).isTrue();
  }
}

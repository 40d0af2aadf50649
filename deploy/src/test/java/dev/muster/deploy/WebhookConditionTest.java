package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The API server asks the webhook only about pods that could see GPUs of others.
class WebhookConditionTest {
  private static final String GPU = "\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}";
  private static final String OWN = "\"env\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\"}]";

  private static boolean isAsked(String containers)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    String expression =
        ShippedFiles.documents("manifests/webhook/webhook.yaml")
            .getFirst()
            .at("/webhooks/1/matchConditions/0/expression")
            .asText();
    Cel cel =
        CelFactory.plannerCelBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("request", SimpleType.DYN)
            .addVar("object", SimpleType.DYN)
            .build();
    Object pod =
        new ObjectMapper()
            .readValue("{\"spec\":{%s}}".formatted(containers.formatted(GPU, OWN)), Map.class);
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
  @ValueSource(strings = {"\"containers\":[{%s,\"env\":[{\"name\":\"A\"}]}]"})
  void asks_about_no_others(String containers)
      throws JsonProcessingException, CelValidationException, CelEvaluationException {
    assertThat(isAsked(containers)).isFalse();
  }
}

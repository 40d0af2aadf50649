package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The receiver of traces is read, and mistakes in its address are reported with their places.
class TracingConfigurationTest extends ConfigurationFiles {
  @Test
  void traces_are_off_by_default() {
    assertThat(value(load("")).tracing().receiver()).isEmpty();
    assertThat(value(load("tracing: {}\n")).tracing().receiver()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "http://otel-collector:4318,http://otel-collector:4318/v1/traces",
    "http://otel-collector:4318/,http://otel-collector:4318/v1/traces",
    "https://otel.example.org/team-a,https://otel.example.org/team-a/v1/traces",
    "'http://[::1]:4318',http://[::1]:4318/v1/traces"
  })
  void path_of_traces_is_added(String endpoint, String receiver) {
    assertThat(
            value(load("tracing: {endpoint: \"%s\"}\n".formatted(endpoint))).tracing().receiver())
        .contains(URI.create(receiver));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "endpoint: otel-collector:4318|:21: tracing.endpoint: \"otel-collector:4318\" is not an address of HTTP. Write it like http://otel-collector.monitoring:4318.",
        "endpoint: \"grpc://otel:4317\"|:21: tracing.endpoint: \"grpc://otel:4317\" is not an address of HTTP. Write it like http://otel-collector.monitoring:4318.",
        "endpoint: \"http://otel collector\"|:21: tracing.endpoint: \"http://otel collector\" is not an address. Write it like http://otel-collector.monitoring:4318.",
        "endpoint: \"http://a:70000\"|:21: tracing.endpoint: \"http://a:70000\" is not an address of HTTP. Write it like http://otel-collector.monitoring:4318.",
        "endpoint: \"http://u:p@otel:4318\"|:21: tracing.endpoint: \"http://u:p@otel:4318\" has more than a host, a port and a path. Write it like http://otel-collector.monitoring:4318.",
        "endpoint: \"http://otel:4318/v1/traces\"|:21: tracing.endpoint: \"http://otel:4318/v1/traces\" ends with /v1/traces, which Muster adds itself. Leave it out.",
        "endpoint: 4318|:21: tracing.endpoint: 4318 must be text.",
        "endpont: \"http://otel:4318\"|:11: tracing.endpont: unknown field. Did you mean `endpoint`?"
      })
  void mistake_is_reported_with_its_place(String fields, String problem) {
    assertThat(ExpectedRefusal.of("tracing: {%s}\n".formatted(fields)))
        .startsWith("muster.yaml:3" + problem);
  }
}

package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The reader refuses YAML that other readers accept but that is ambiguous.
class YamlHabitsTest {
  private static String problems(String body) {
    return ExpectedRefusal.of(body.replace("; ", "\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          queues: [&a {name: a, weight: 2}, {<<: *a, name: b}] | 3:36: queues[1]["<<"]
          queues: [{name: a, maximum: {models: &m {H100: 2}}}, {name: b, maximum: {models: {<<: *m}}}] | 3:83: queues[1].maximum.models["<<"]
          """)
  void merge_keys_are_refused_with_their_place(String body, String place) {
    assertThat(problems(body))
        .isEqualTo("muster.yaml:%s: merge keys (<<) are not supported.".formatted(place));
  }

  @ParameterizedTest
  @ValueSource(strings = {"010", "0o10", "0x1F", "1_000", "-010"})
  void numbers_that_are_not_decimal_are_refused(String number) {
    assertThat(problems("server: {port: %s}".formatted(number)))
        .isEqualTo(
            "muster.yaml:3:16: server.port: \"%s\" must be a whole number. Write it in decimal digits, without leading zeros and underscores."
                .formatted(number));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"8888\"", "0 GB", "5d"})
  void malformed_numbers_are_reported_with_quotes_or_units(String number) {
    assertThat(problems("server: {port: %s}".formatted(number)))
        .endsWith("must be a whole number. Write it without quotes and units.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000000000000000000000000000000", "-9999999999999999999999999999999"})
  void numbers_with_too_many_digits_are_reported(String number) {
    assertThat(problems("server: {port: %s}".formatted(number)))
        .isEqualTo(
            "muster.yaml:3:16: server.port: \"%s\" must be a whole number. Write it with fewer digits: at most 30 are read."
                .formatted(number));
  }

  /// A namespace may have that name.
  @Test
  void names_of_digits_keep_their_spelling() {
    assertThat(problems("queues: [{name: a, namespaces: [010]}]")).isEmpty();
  }
}

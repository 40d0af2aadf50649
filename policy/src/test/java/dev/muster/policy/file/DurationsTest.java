package dev.muster.policy.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

  private static final ObjectMapper MAPPER =
      new ObjectMapper().registerModule(new DurationModule());

  @ParameterizedTest
  @CsvSource({
    "30m, PT30M, 30m",
    "1h30m, PT1H30M, 1h30m",
    "90m, PT1H30M, 1h30m",
    "45s, PT45S, 45s",
    "500ms, PT0.5S, 500ms",
    "2d, PT48H, 2d",
    "1d2h3m4s5ms, PT26H3M4.005S, 1d2h3m4s5ms",
    "0s, PT0S, 0s",
    "007s, PT7S, 7s",
    "106751d, PT2562024H, 106751d",
  })
  void are_read_and_printed(String text, Duration duration, String printed) {
    assertThat(Durations.parse(text)).isEqualTo(duration);
    assertThat(Durations.print(duration)).isEqualTo(printed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "30", "0", "-5m", "+5m", "1.5h", "30 m", " 30m", "30M", "30min", "m", "30m1h",
        "1h1h", "1w", "1us", "PT30M", "١m"
      })
  void without_unit_or_order_or_sense_are_refused(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" is not a duration. Write it like 30m, 1h30m or 45s.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "106752d",
        "106751d1ms",
        "9223372036854775807ms",
        "99999999999999999999999s",
        "999999999999999999d",
        "106751d999999999999999999ms"
      })
  void beyond_the_longest_are_refused(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" is too long a duration: at most 106751d.");
  }

  @Test
  void are_shown_short_when_refused() {
    assertThatThrownBy(() -> Durations.parse("30m\n" + "x".repeat(99)))
        .hasMessage(
            "\"30m %s...\" is not a duration. Write it like 30m, 1h30m or 45s.", "x".repeat(56));
  }

  @Test
  void of_zero_length_are_refused_where_they_must_be_positive() {
    assertThat(Durations.parsePositive("1ms")).isEqualTo(Duration.ofMillis(1));
    assertThatThrownBy(() -> Durations.parsePositive("0h"))
        .hasMessage("\"0h\" must be longer than zero. Write it like 30m, 1h30m or 45s.");
  }

  @Test
  void print_cuts_below_milliseconds_and_marks_the_negative() {
    assertThat(Durations.print(Duration.ofNanos(1_999_999))).isEqualTo("1ms");
    assertThat(Durations.print(Duration.ofMinutes(-90))).isEqualTo("-1h30m");
  }

  @Test
  void longest_fits_in_nanoseconds() {
    assertThat(Durations.LONGEST.toNanos()).isPositive();
  }

  @Property(tries = 1000)
  void printed_are_read_back_equal(@ForAll @LongRange(max = 106_751L * 86_400_000L) long millis) {
    Duration duration = Duration.ofMillis(millis);

    assertThat(Durations.parse(Durations.print(duration))).isEqualTo(duration);
  }

  @Test
  void travel_through_jackson() throws JsonProcessingException {
    assertThat(MAPPER.writeValueAsString(Duration.ofMinutes(90))).isEqualTo("\"1h30m\"");
    assertThat(MAPPER.readValue("\"1h30m\"", Duration.class)).isEqualTo(Duration.ofMinutes(90));
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "1.5", "\"\"", "\"90\"", "true", "{}", "[]"})
  void malformed_are_refused_by_jackson(String json) {
    assertThatThrownBy(() -> MAPPER.readValue(json, Duration.class))
        .isInstanceOf(JsonProcessingException.class)
        .hasMessageContaining("Write it like 30m, 1h30m or 45s.");
  }
}

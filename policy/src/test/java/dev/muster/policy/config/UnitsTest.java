package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {

  @ParameterizedTest
  @CsvSource({"1Ki, 1024", "16Mi, 16777216", "1024Mi, 1073741824", "1048576Ki, 1073741824"})
  void sizes_are_read_in_bytes(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(new ByteSize(bytes));
    assertThat(ByteSize.parse(new ByteSize(bytes).toString())).isEqualTo(new ByteSize(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "16", "16M", "16MB", "0Mi", "-1Mi", "1.5Mi", "1Gi", "016Mi"})
  void malformed_sizes_are_refused(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .hasMessage("\"" + text + "\" is not a size. Write it like 16Mi or 512Ki.");
  }

  @Test
  void sizes_out_of_range_are_refused() {
    assertThatThrownBy(() -> ByteSize.parse("1025Mi"))
        .hasMessage("\"1025Mi\" is too large a size: at most 1024Mi.");
    assertThatThrownBy(() -> new ByteSize(1023)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "1Mbps, 1",
    "400Gbps, 400000",
    "900GBps, 7200000",
    "1.8TBps, 14400000",
    "0.5GBps, 4000",
    "2.5Gbps, 2500",
    "1Tbps, 1000000",
    "1MBps, 8",
    "999999999TBps, 7999999992000000"
  })
  void bandwidths_are_read_in_megabits(String text, long megabits) {
    assertThat(Bandwidth.megabitsPerSecond(text)).isEqualTo(megabits);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "400", "400G", "400gbps", "400Gb/s", "-1Gbps", "0Gbps", "0.0001Mbps", "1Kbps"})
  void malformed_bandwidths_are_refused(String text) {
    assertThatThrownBy(() -> Bandwidth.megabitsPerSecond(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\" is not a ");
  }
}

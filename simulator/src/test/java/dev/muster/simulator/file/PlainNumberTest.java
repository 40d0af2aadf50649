package dev.muster.simulator.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** The quick way reads the same as the slow one, or nothing. */
final class PlainNumberTest {
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  @Property
  void decimals(@ForAll @CharRange(from = '-', to = '9') @StringLength(max = 8) String text) {
    assertThat(PlainNumber.thousandfold(text))
        .isIn(OptionalLong.empty(), OptionalLong.of(slowly(text)));
  }

  private static long slowly(String text) {
    try {
      return new BigDecimal(text).movePointRight(3).longValueExact();
    } catch (ArithmeticException | NumberFormatException _) {
      return Long.MIN_VALUE;
    }
  }

  @Property
  void clocks(@ForAll @LongRange(min = 0, max = 4_000_000_000L) long second) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
    assertThat(PlainNumber.clock(CLOCK.format(time)))
        .hasValue(Instant.ofEpochSecond(second).toEpochMilli());
  }

  @Test
  void daysThatNoMonthHasAreForTheSlowerReader() {
    assertThat(PlainNumber.clock("2017-02-29 00:00:00")).isEmpty();
    assertThat(PlainNumber.clock("2017-04-31 00:00:00")).isEmpty();
    assertThat(PlainNumber.clock("2016-02-29 00:00:00")).hasValue(1_456_704_000_000L);
  }
}

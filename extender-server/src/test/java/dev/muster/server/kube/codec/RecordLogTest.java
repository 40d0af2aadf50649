package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// A forged record does not fill the log, since anybody may write one as long as an annotation.
class RecordLogTest {
  private static final String LONG = "x".repeat(100_000);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"version\":\"%s\"}",
        "{\"version\":1,\"victims\":[{\"origin\":\"%s\"}]}",
        "{\"version\":1,\"members\":{\"%s\":{}}}",
        "{\"by\":\"a/b\",\"origin\":\"%s\"}",
        "{\"version\":1,%s}"
      })
  void long_record_that_is_ignored_makes_a_short_line(String record) {
    assertThat(lines(record.formatted(LONG)))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line.getFormattedMessage().length()).isLessThan(1_200));
  }

  @Test
  void record_that_is_ignored_again_makes_no_further_line() {
    String invalid = "{\"version\":3,\"by\":\"a/b\",\"origin\":\"none\"}";
    assertThat(lines(invalid)).hasSize(3);

    assertThat(lines(invalid)).isEmpty();
  }

  private static List<ILoggingEvent> lines(String record) {
    Logger codec = (Logger) LoggerFactory.getLogger("dev.muster.server.kube.codec");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    codec.addAppender(lines);
    codec.setLevel(Level.WARN);
    RecordFuzz.fuzzerTestOneInput(record.getBytes(StandardCharsets.UTF_8));
    codec.setLevel(null);
    codec.detachAppender(lines);
    return lines.list;
  }
}

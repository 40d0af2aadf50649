package dev.muster.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The text log is safe to read. It contains user input such as names of gangs and values of
/// annotations.
class TextLogTest {
  private static String line(String message, Object... values) throws JoranException {
    return line(null, message, values);
  }

  private static String line(@Nullable Throwable fault, String message, Object... values)
      throws JoranException {
    LoggerContext context = new LoggerContext();
    JoranConfigurator reader = new JoranConfigurator();
    reader.setContext(context);
    reader.doConfigure(Objects.requireNonNull(TextLogTest.class.getResource("/logback.xml")));
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    var text = (ConsoleAppender<ILoggingEvent>) root.getAppender("text");
    var event = new LoggingEvent("here", root, Level.WARN, message, fault, values);
    return new String(text.getEncoder().encode(event), StandardCharsets.UTF_8);
  }

  @Test
  void message_of_an_exception_injects_neither_lines_nor_colours() throws JoranException {
    var cause = new IllegalArgumentException("b\n2026-11-01T10:00:00.000Z ERROR fire");
    var fault = new IllegalStateException("a\r\n2026-11-01 ERROR \u001b[31mfire", cause);

    assertThat(line(fault, "failed").lines())
        .contains("java.lang.IllegalStateException: a  2026-11-01 ERROR  [31mfire")
        .anyMatch(
            "Caused by: java.lang.IllegalArgumentException: b 2026-11-01T10:00:00.000Z ERROR fire"
                ::equals)
        .filteredOn(line -> !line.startsWith("\t"))
        .hasSize(3); // with the first line
  }

  @Test
  void foreign_text_injects_neither_lines_nor_colours() throws JoranException {
    String line = line("Wait {}: later", "ml/a\r\n2026-11-01T10:00:00.000Z ERROR \u001b[31mfire");

    assertThat(line)
        .hasLineCount(1)
        .endsWith("Wait ml/a 2026-11-01T10:00:00.000Z ERROR  [31mfire: later\n");
  }
}

package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Refused certificates make one line per second at most.
class CertificateRefusalsTest {
  @Test
  void refusals_within_a_second_are_counted() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(CertificateRefusals.class);
    lines.start();
    logger.addAppender(lines);
    try {
      AtomicLong millis = new AtomicLong();
      CertificateRefusals refusals =
          new CertificateRefusals(() -> Instant.ofEpochMilli(millis.getAndAdd(400)));
      for (int i = 0; i < 5; i++) {
        refusals.note("10.0.0.1", "no certificate");
      }
      assertThat(lines.list)
          .map(ILoggingEvent::getFormattedMessage)
          .containsExactly(
              "Refused a caller at 10.0.0.1: no certificate. 0 refusals before it were not logged.",
              "Refused a caller at 10.0.0.1: no certificate. 2 refusals before it were not logged.");
    } finally {
      logger.detachAppender(lines);
    }
  }
}

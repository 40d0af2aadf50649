package dev.muster.server.kube.dra.cel;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.muster.core.kit.FuzzSeeds;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Damaged selectors are refused or answered; they raise no errors.
class SelectorDecoderTest {
  private final Logger log =
      (Logger) LoggerFactory.getLogger(SelectorDecoderTest.class.getPackageName());

  @BeforeEach
  void silence() {
    log.setLevel(Level.OFF); // each refused text is told
  }

  @AfterEach
  void speak() {
    log.setLevel(null);
  }

  @Test
  void damaged_selectors_are_refused() throws IOException {
    FuzzSeeds.tryAll(SelectorFuzz.class, SelectorFuzz::fuzzerTestOneInput);
  }
}

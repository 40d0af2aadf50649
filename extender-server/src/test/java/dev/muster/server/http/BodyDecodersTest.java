package dev.muster.server.http;

import dev.muster.core.kit.FuzzSeeds;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Damaged bodies are malformed; they raise no other errors.
class BodyDecodersTest {
  @Test
  void damaged_calls_of_the_scheduler_are_malformed() throws IOException {
    FuzzSeeds.tryAll(ExtenderBodyFuzz.class, ExtenderBodyFuzz::fuzzerTestOneInput);
  }

  @Test
  void damaged_admission_reviews_are_malformed() throws IOException {
    FuzzSeeds.tryAll(AdmissionFuzz.class, AdmissionFuzz::fuzzerTestOneInput);
  }
}

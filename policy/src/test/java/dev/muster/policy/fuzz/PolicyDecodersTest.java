package dev.muster.policy.fuzz;

import dev.muster.core.kit.FuzzSeeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

/// Damaged files have problems; they raise no other errors.
class PolicyDecodersTest {
  @Test
  void damaged_configurations_have_problems() throws IOException {
    FuzzSeeds.tryAll(ConfigurationFuzz.class, ConfigurationFuzz::fuzzerTestOneInput);
  }

  @Test
  void damaged_policies_have_problems() throws IOException {
    FuzzSeeds.tryAll(PolicyFuzz.class, PolicyFuzz::fuzzerTestOneInput);
  }

  @Test
  void damaged_expressions_have_faults() throws IOException {
    FuzzSeeds.tryAll(ExpressionFuzz.class, ExpressionFuzz::fuzzerTestOneInput);
  }

  @Test
  void damaged_journals_are_malformed() throws IOException {
    FuzzSeeds.tryAll(JournalFuzz.class, PolicyDecodersTest::journal);
  }

  private static void journal(byte[] input) {
    try {
      JournalFuzz.fuzzerTestOneInput(input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

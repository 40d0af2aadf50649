package dev.muster.server.kube.owner;

import dev.muster.core.kit.FuzzSeeds;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// The inputs of the fuzz target of owners.
class OwnerDecoderTest {
  @Test
  void owners_are_read_as_each_kind() throws IOException {
    FuzzSeeds.tryAll(OwnerFuzz.class, OwnerFuzz::fuzzerTestOneInput);
  }
}

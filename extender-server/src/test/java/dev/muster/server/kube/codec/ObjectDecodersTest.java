package dev.muster.server.kube.codec;

import dev.muster.core.kit.FuzzSeeds;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Damaged objects have problems in sentences; damaged records are ignored.
class ObjectDecodersTest {
  @Test
  void damaged_pods_have_problems() throws IOException {
    FuzzSeeds.tryAll(PodFuzz.class, PodFuzz::fuzzerTestOneInput);
  }

  @Test
  void damaged_pod_groups_have_problems() throws IOException {
    FuzzSeeds.tryAll(PodGroupFuzz.class, PodGroupFuzz::fuzzerTestOneInput);
  }

  @Test
  void damaged_records_are_ignored() throws IOException {
    FuzzSeeds.tryAll(RecordFuzz.class, RecordFuzz::fuzzerTestOneInput);
  }
}

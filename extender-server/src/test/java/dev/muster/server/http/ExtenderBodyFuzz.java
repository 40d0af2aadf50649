package dev.muster.server.http;

import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.MalformedRequest;
import java.util.Set;

/// Fuzz target: bodies of kube-scheduler's calls. Every body is read, or malformed.
public final class ExtenderBodyFuzz {
  private static final Set<String> ACCELERATORS = Set.of("nvidia.com/gpu");

  private ExtenderBodyFuzz() {}

  public static void fuzzerTestOneInput(byte[] body) {
    try {
      var _ = ExtenderReader.args(body, ACCELERATORS);
    } catch (MalformedRequest _) {
      // what it is for
    }
    try {
      var _ = ExtenderReader.preemption(body, ACCELERATORS);
    } catch (MalformedRequest _) {
      // what it is for
    }
  }
}

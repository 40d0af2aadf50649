package dev.muster.deploy.e2e;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/// Helm 4 and the chart. It applies on the server's side, where kubectl owns the fields it wrote.
class ChartE2E extends ChartLifecycle {
  ChartE2E(@TempDir Path folder) {
    super("helm", List.of("--force-conflicts"), folder);
  }
}

package dev.muster.deploy.e2e;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/// Helm 3 and the chart. It knows no owners of fields.
class ChartHelm3E2E extends ChartLifecycle {
  ChartHelm3E2E(@TempDir Path folder) {
    super("helm3", List.of(), folder);
  }
}

package dev.muster.server.kube.dra.cel;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Fuzz target: CEL selectors of ResourceClaims. A text is refused, or answers for a device.
public final class SelectorFuzz {
  private static final DeviceTraits DEVICE =
      new DeviceTraits(
          "gpu.example.com",
          Map.of("gpu.example.com", Map.of("index", 1L, "type", "gpu")),
          Map.of("gpu.example.com", Map.of("memory", QuantityValue.of("80Gi"))),
          false);
  private static final DeviceExpressionCompiler COMPILER = new DeviceExpressionCompiler();

  private SelectorFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    COMPILER
        .compile(new String(input, StandardCharsets.UTF_8))
        .ifPresent(expression -> {
          var _ = expression.mayTake(DEVICE);
        });
  }
}

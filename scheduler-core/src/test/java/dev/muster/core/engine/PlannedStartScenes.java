package dev.muster.core.engine;

import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.kit.Scene;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Queues, GPU models and times that tests of planned starts share.
abstract class PlannedStartScenes {
  static final GpuModelPreference H100 = new GpuModelPreference(List.of("H100"), false);
  static final GpuModelPreference P4 = new GpuModelPreference(List.of("P4"), false);
  static final Duration SECOND = Duration.ofSeconds(1);
  static final Duration USUAL = Duration.ofMinutes(20);
  static final Duration AGED = BackfillSettings.DEFAULT.drainAfter().plusSeconds(5);

  static Instant in(int hours) {
    return Scene.START.plus(Duration.ofHours(hours));
  }
}

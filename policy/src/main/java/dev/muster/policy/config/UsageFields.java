package dev.muster.policy.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Where GPU time is kept, and for how long.
///
/// @param store path of a file that keeps GPU time over restarts; empty for none
/// @param keepFor time after which a day is forgotten, at least a day
public record UsageFields(String store, Duration keepFor) {
  public UsageFields {
    if (keepFor.toDays() < 1 || keepFor.toDays() > 10_000) {
      throw new IllegalArgumentException("usage.keepFor must be from 1d to 10000d.");
    }
  }

  /// Returns the file that keeps GPU time over restarts.
  public Optional<Path> storeFile() {
    return store.isEmpty() ? Optional.empty() : Optional.of(Path.of(store));
  }

  /// Returns the number of whole days that are kept.
  public int keptDays() {
    return Math.toIntExact(keepFor.toDays());
  }
}

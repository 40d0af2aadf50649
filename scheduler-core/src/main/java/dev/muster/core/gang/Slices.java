package dev.muster.core.gang;

/// A gang cut into slices that are nearer than the whole: in rank order every `size` members lie
/// inside one domain of the level, for example 8 inside one NVLink domain while all are inside one
/// block. (Kueue: podset slices; Slurm: segments.)
///
/// @param size members in each slice, at least 1; the last slice has the rest
/// @param level a level of the configured topology, or its node-label key
public record Slices(int size, String level) {
  public Slices {
    if (size < 1) {
      throw new IllegalArgumentException(
          "The slices at the level (%s) have size (%d); it must be 1 or more."
              .formatted(level, size));
    }
  }
}

package dev.muster.core.gang;

/// A division of a gang into slices whose members lie nearer than the whole gang. In rank order,
/// every `size` members lie inside one domain of the level. Example: each 8 members inside one
/// NVLink domain, and all members inside one block. Kueue calls them podset slices, Slurm segments.
///
/// @param size members in each slice, at least 1; the last slice has the rest
/// @param level a level of the configured topology, or its node-label key
public record Slices(int size, String level) {
  public Slices {
    if (size < 1) {
      throw new IllegalArgumentException(
          "The slices at level (%s) have size (%d); it must be 1 or more.".formatted(level, size));
    }
  }
}

package dev.muster.simulator.file;

import dev.muster.policy.file.CountedInput;
import java.io.BufferedReader;

/// A text that is read from a file, and how far the file was read.
///
/// @param reader the text, unzipped
/// @param bytes the file, as it is on the disk
/// @param size of the file, in bytes
public record Measured(BufferedReader reader, CountedInput bytes, long size) {
  /// What share of the file was read, 0 to 1; what is still buffered counts as read.
  public double share() {
    return Math.min(1, bytes.count() / (double) Math.max(1, size));
  }
}

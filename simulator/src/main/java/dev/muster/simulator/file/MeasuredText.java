package dev.muster.simulator.file;

import dev.muster.policy.file.CountedInput;
import java.io.BufferedReader;

/// The text of a file with the share that has been read.
///
/// @param reader the text, unzipped
/// @param bytes the raw content of the file
/// @param size size of the file in bytes
public record MeasuredText(BufferedReader reader, CountedInput bytes, long size) {
  /// Returns the share of the file that has been read, 0 to 1; buffered content counts as read.
  public double share() {
    return Math.min(1, bytes.count() / (double) Math.max(1, size));
  }
}

package dev.muster.simulator.file;

import dev.muster.policy.file.FileProblem;

/// A file cannot be read; the message names file, line, column, value and what may help.
public final class BadFile extends RuntimeException {
  /// Something is wrong at a place.
  public BadFile(FileProblem problem) {
    super(problem.render());
  }

  /// The file as a whole is wrong.
  public static BadFile ofFile(String file, String message) {
    return new BadFile(FileProblem.ofFile(file, message));
  }
}

package dev.muster.simulator.file;

import dev.muster.policy.yaml.FileProblem;

/// A file cannot be read; the message has the file, line, column, value and, if known, a remedy.
public final class MalformedFile extends RuntimeException {
  /// Creates the error of a problem at a place in the file.
  public MalformedFile(FileProblem problem) {
    super(problem.render());
  }

  /// Creates the error of a problem with the whole file.
  public static MalformedFile ofFile(String file, String message) {
    return new MalformedFile(FileProblem.ofFile(file, message));
  }
}

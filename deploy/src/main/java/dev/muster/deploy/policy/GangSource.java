package dev.muster.deploy.policy;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The source of the gangs: one of two options.
final class GangSource {
  @Option(
      names = "--subjects",
      paramLabel = "FILE",
      description = "The gangs: a file of kind PreemptionSubjects.")
  private @Nullable Path subjects;

  @Option(
      names = "--cluster",
      paramLabel = "FILE",
      description = "A snapshot of a cluster, or the journal of one, plain or gzip.")
  private @Nullable Path cluster;

  /// Returns the snapshot of a cluster, if that option is given.
  @Nullable Path cluster() {
    return cluster;
  }

  /// Returns the file with the gangs, if that option is given.
  Path subjects() {
    return Objects.requireNonNull(subjects);
  }

  @Override
  public String toString() {
    return String.valueOf(cluster == null ? subjects : cluster);
  }
}

package dev.muster.deploy.policy;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where the gangs come from: one of two.
final class Gangs {
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

  /// The snapshot of a cluster, if that is what was named.
  @Nullable Path cluster() {
    return cluster;
  }

  /// The other file.
  Path subjects() {
    return Objects.requireNonNull(subjects);
  }

  @Override
  public String toString() {
    return String.valueOf(cluster == null ? subjects : cluster);
  }
}

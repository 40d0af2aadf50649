package dev.muster.simulator.pack;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The allocated shares that Weng et al. published for their packing experiment.
///
/// The table `published.csv` names its source. It has the mean and the standard deviation of ten
/// seeds, in percent of the GPUs, after requests for 130 % of them.
final class PublishedPacking {
  private static final Map<String, Figure> FIGURES = read();

  private PublishedPacking() {}

  /// A published figure.
  ///
  /// @param mean percent of the GPUs
  /// @param deviation the standard deviation of one seed
  record Figure(double mean, double deviation) {
    /// Returns the distance of this share from the mean, in standard deviations.
    ///
    /// @param percent of the GPUs
    double deviations(double percent) {
      return Math.abs(percent - mean) / deviation;
    }

    /// True if the share is at most two standard deviations from the mean.
    boolean holds(double percent) {
      return deviations(percent) <= 2;
    }
  }

  /// Returns what was published about a policy on a list of pods.
  static Optional<Figure> of(String mix, String policy) {
    return Optional.ofNullable(FIGURES.get(mix + "," + policy));
  }

  private static Map<String, Figure> read() {
    Map<String, Figure> figures = new LinkedHashMap<>();
    for (String line : lines()) {
      if (!line.startsWith("#") && !line.startsWith("mix,")) {
        List<String> cells = List.of(line.split(",", -1));
        figures.put(
            cells.get(0) + "," + cells.get(1),
            new Figure(Double.parseDouble(cells.get(2)), Double.parseDouble(cells.get(3))));
      }
    }
    return figures;
  }

  private static List<String> lines() {
    try (InputStream in = PublishedPacking.class.getResourceAsStream("published.csv")) {
      byte[] bytes = Objects.requireNonNull(in, "published.csv").readAllBytes();
      return new String(bytes, StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

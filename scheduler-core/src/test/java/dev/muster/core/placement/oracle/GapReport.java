package dev.muster.core.placement.oracle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The distance of the search from the oracle over many cases.
final class GapReport {
  private static final int SHOWN = 5;

  private final Map<String, Line> lines = new LinkedHashMap<>();
  private final List<String> wrongs = new ArrayList<>();
  private int cases;
  private int placed;
  private int spansOptimal;

  /// One term: the cases in which all terms before it are optimal, and those where it is too.
  private static final class Line {
    int comparable;
    int optimal;
    double gaps;
    final List<Long> seeds = new ArrayList<>();

    void add(OracleComparison comparison, String term) {
      comparable++;
      double gap = comparison.relativeGap(term);
      gaps += gap;
      if (gap == 0) {
        optimal++;
      } else if (seeds.size() < SHOWN) {
        seeds.add(comparison.seed());
      }
    }

    double meanGap() {
      return gaps / Math.max(1, comparable);
    }
  }

  void add(OracleComparison comparison) {
    cases++;
    if (!comparison.wrongs().isEmpty()) {
      wrongs.add("%d: %s".formatted(comparison.seed(), comparison.wrongs()));
    } else if (comparison.isPlaced()) {
      placed++;
      Optional<String> gap = comparison.gap();
      spansOptimal += gap.filter(GapReport::isSpan).isPresent() ? 0 : 1;
      for (String term : comparison.terms().byName().keySet()) {
        lines.computeIfAbsent(term, _ -> new Line()).add(comparison, term);
        if (gap.filter(term::equals).isPresent()) {
          break;
        }
      }
    }
  }

  private static boolean isSpan(String term) {
    return term.equals(OracleTerms.RANK) || term.startsWith("span");
  }

  /// Cases answered wrongly: the seed and what is wrong.
  List<String> wrongs() {
    return wrongs;
  }

  /// The share of cases with optimal model rank and spans.
  double spansOptimal() {
    return (double) spansOptimal / Math.max(1, placed);
  }

  /// The mean relative gap of a term where all before it are optimal.
  double meanGap(String term) {
    return Optional.ofNullable(lines.get(term)).map(Line::meanGap).orElse(0.0);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        "%d cases, %d placed, %d wrong; model and spans optimal in %.2f %%%n"
            .formatted(cases, placed, wrongs.size(), 100 * spansOptimal()));
    text.append(
        "%-18s %10s %9s %9s  seeds%n".formatted("term", "comparable", "optimal", "mean gap"));
    lines.forEach((term, line) ->
        text.append(
            "%-18s %10d %7.2f %% %7.3f %%  %s%n"
                .formatted(
                    term,
                    line.comparable,
                    100.0 * line.optimal / Math.max(1, line.comparable),
                    100 * line.meanGap(),
                    line.seeds)));
    return text.append("replay one: %s%n".formatted(OracleComparison.REPLAY)).toString();
  }
}

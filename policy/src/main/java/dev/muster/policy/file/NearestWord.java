package dev.muster.policy.file;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/// Finds the known word that a mistyped word probably means.
public final class NearestWord {

  private NearestWord() {}

  /// Returns the known word with the fewest typing mistakes, if it has at most one in three
  /// letters.
  ///
  /// A mistake is a letter missing, added, wrong, or swapped with its neighbour; case does not
  /// count. Among equals the first wins.
  public static Optional<String> to(String word, Collection<String> known) {
    int best = Math.max(1, word.length() / 3) + 1;
    Optional<String> nearest = Optional.empty();
    for (String candidate : known) {
      if (Math.abs(word.length() - candidate.length()) >= best) {
        continue;
      }
      int mistakes = mistakes(lower(word), lower(candidate));
      if (mistakes < best) {
        best = mistakes;
        nearest = Optional.of(candidate);
      }
    }
    return nearest;
  }

  private static String lower(String word) {
    return word.toLowerCase(Locale.ROOT);
  }

  /// Returns the optimal string alignment distance.
  private static int mistakes(String a, String b) {
    int[][] table = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        table[i][j] =
            i == 0 || j == 0 ? i + j : cheapest(table, i, j, a.charAt(i - 1) == b.charAt(j - 1));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          table[i][j] = Math.min(table[i][j], table[i - 2][j - 2] + 1);
        }
      }
    }
    return table[a.length()][b.length()];
  }

  private static int cheapest(int[][] table, int i, int j, boolean same) {
    int replaced = table[i - 1][j - 1] + (same ? 0 : 1);
    return Math.min(replaced, Math.min(table[i - 1][j], table[i][j - 1]) + 1);
  }
}

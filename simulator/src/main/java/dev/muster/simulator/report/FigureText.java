package dev.muster.simulator.report;

import java.util.Locale;

/// The text of figures in tables and sentences.
public final class FigureText {
  private FigureText() {}

  /// Formats seconds in a suitable unit.
  public static String time(double seconds) {
    return seconds < 120
        ? String.format(Locale.ROOT, "%.1fs", seconds)
        : seconds < 7200
            ? String.format(Locale.ROOT, "%.1fm", seconds / 60)
            : seconds < 172_800
                ? String.format(Locale.ROOT, "%.1fh", seconds / 3600)
                : String.format(Locale.ROOT, "%.1fd", seconds / 86_400);
  }

  /// Returns "1 GPU", "8 GPUs", "5-8 GPUs".
  public static String gpus(String amount) {
    return amount + (amount.equals("1") ? " GPU" : " GPUs");
  }
}

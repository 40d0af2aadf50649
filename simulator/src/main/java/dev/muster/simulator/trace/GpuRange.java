package dev.muster.simulator.trace;

import dev.muster.simulator.file.PlainNumber;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A range of GPUs per job, such as `8+`, `1-7` or `4`.
///
/// A part of a GPU counts as a fraction.
///
/// @param least fewest GPUs, in thousandths, included
/// @param most most GPUs, in thousandths, included
public record GpuRange(long least, long most) {
  private static final Pattern FORM =
      Pattern.compile("(\\d+(?:\\.\\d+)?)(\\+|-(\\d+(?:\\.\\d+)?))?");

  /// Parses a range; empty if the text is none.
  ///
  /// @throws IllegalArgumentException if it ends below its beginning
  public static Optional<GpuRange> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long least = milli(matcher.group(1));
    long most = least;
    if (matcher.group(2) != null) {
      most = matcher.group(3) == null ? Long.MAX_VALUE : milli(matcher.group(3));
    }
    if (most < least) {
      throw new IllegalArgumentException(
          "\"%s\" is not a range of GPUs: it ends below its beginning.".formatted(text));
    }
    return Optional.of(new GpuRange(least, most));
  }

  private static long milli(String gpus) {
    return Math.round(1000 * PlainNumber.decimal(gpus));
  }

  /// True if the job requests GPUs, and as many as the range has.
  public boolean contains(TraceJob job) {
    return job.gpuMilli() > 0 && job.gpuMilli() >= least && job.gpuMilli() <= most;
  }

  /// Returns the range in the form that [#parse] reads.
  @Override
  public String toString() {
    String most = this.most == Long.MAX_VALUE ? "+" : "-" + gpus(this.most);
    return gpus(least) + (least == this.most ? "" : most);
  }

  private static String gpus(long milli) {
    return BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString();
  }
}

package dev.muster.simulator.file;

import dev.muster.policy.yaml.FileProblem;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/// One row of a table, or one JSON object, with named values as text.
///
/// Values are parsed on demand. A value that cannot be parsed is a [MalformedFile] with file, line,
/// column and value.
///
/// @param file the file as the user named it
/// @param line line number, counted from 1
/// @param cells the values
public record InputRow(String file, int line, Cells cells) {
  private static final String PLAIN_TIME = "0000-00-00 00:00:00";
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
  private static final BigDecimal EXBIBYTE = BigDecimal.valueOf(1L << 30);
  private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE / 1_000_000);

  /// The largest number of digits and of decimal places, more than any valid value has.
  ///
  /// It rejects values such as `1e-999999999`, which are short but take very long to round.
  private static final int MOST_DIGITS = 100;

  /// The values of a row.
  public interface Cells {
    /// Returns the text under a column; empty when it has none.
    String text(String column);

    /// Returns the position in the line at which the value begins, counted from 1.
    int at(String column);
  }

  /// Returns the text without surrounding blanks; empty when the row has none.
  public String text(String column) {
    return cells.text(column).strip();
  }

  /// Returns the text, which must not be empty.
  public String needed(String column) {
    String text = text(column);
    if (text.isEmpty()) {
      throw fault(column, "is empty.");
    }
    return text;
  }

  /// Returns a whole number of at least 0; `8.0` is valid, too.
  public long count(String column) {
    BigDecimal number = number(column, needed(column));
    if (number.signum() < 0 || number.stripTrailingZeros().scale() > 0) {
      throw fault(column, number + " is not a whole number of 0 or more.");
    }
    return number.longValueExact();
  }

  /// Returns a whole number of at least 0, within the range of `int`.
  public int small(String column) {
    return small(column, Integer.MAX_VALUE);
  }

  /// Returns a whole number from 0 to `most`.
  public int small(String column, int most) {
    long count = count(column);
    if (count > most) {
      throw fault(column, count + " exceeds " + most + ".");
    }
    return (int) count;
  }

  /// Returns a whole number of at least 1.
  public int atLeastOne(String column) {
    int count = small(column);
    if (count == 0) {
      throw fault(column, "0 is less than 1.");
    }
    return count;
  }

  /// Returns a number of any sign times a thousand, rounded to the nearest whole.
  ///
  /// It reads seconds as milliseconds, and cores as thousandths of one.
  public long thousandfold(String column) {
    return number(column, needed(column))
        .multiply(THOUSAND)
        .setScale(0, RoundingMode.HALF_UP)
        .longValueExact();
  }

  /// Returns a number of at least 0 times a thousand, like [#thousandfold].
  public long positiveThousandfold(String column) {
    long value = thousandfold(column);
    if (value < 0) {
      throw fault(column, text(column) + " is negative.");
    }
    return value;
  }

  /// Returns a number like [#positiveThousandfold]; absent when the value is missing.
  public Optional<Long> maybeThousandfold(String column) {
    String text = text(column);
    return text.isEmpty() || text.equalsIgnoreCase("nan")
        ? Optional.empty()
        : Optional.of(positiveThousandfold(column));
  }

  /// Returns a number of gibibytes in bytes, at most one exbibyte.
  public long gibibytes(String column) {
    BigDecimal number = number(column, needed(column));
    if (number.abs().compareTo(EXBIBYTE) > 0) {
      throw fault(column, number + " GiB is out of range.");
    }
    return number
        .multiply(BigDecimal.valueOf(1L << 30))
        .setScale(0, RoundingMode.HALF_UP)
        .longValueExact();
  }

  /// Returns a wall-clock time `YYYY-MM-DD hh:mm:ss` in milliseconds since the epoch.
  ///
  /// A time without a zone is UTC. The result is absent when the value is missing or `None`.
  public Optional<Long> clock(String column) {
    String text = text(column);
    if (text.isEmpty() || text.equalsIgnoreCase("none") || text.equalsIgnoreCase("nan")) {
      return Optional.empty();
    }
    long millis = epochMillis(column, text);
    if (millis < 0) {
      throw fault(column, "%s is before 1970.".formatted(shown(text)));
    }
    return Optional.of(millis);
  }

  private long epochMillis(String column, String text) {
    try {
      if (isPlainTime(text)) {
        return plainTime(text).toInstant(ZoneOffset.UTC).toEpochMilli();
      }
      String iso = text.replace(' ', 'T');
      boolean zoned = iso.endsWith("Z") || iso.lastIndexOf('+') > 10 || iso.lastIndexOf('-') > 10;
      return zoned
          ? OffsetDateTime.parse(iso).toInstant().toEpochMilli()
          : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC).toEpochMilli();
    } catch (DateTimeException _) {
      throw fault(
          column, "\"%s\" is not a time such as 2017-10-09 07:01:55.".formatted(shown(text)));
    }
  }

  /// Returns true for the form `2017-10-09 07:01:55`, which nearly all traces have.
  ///
  /// It is read without a formatter, which takes 7 % of the processor time of the Philly run.
  private static boolean isPlainTime(String text) {
    if (text.length() != PLAIN_TIME.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char sign = text.charAt(i);
      char form = PLAIN_TIME.charAt(i);
      if (form == '0' ? sign < '0' || sign > '9' : sign != form) {
        return false;
      }
    }
    return true;
  }

  private static LocalDateTime plainTime(String text) {
    return LocalDateTime.of(
        Integer.parseInt(text, 0, 4, 10),
        Integer.parseInt(text, 5, 7, 10),
        Integer.parseInt(text, 8, 10, 10),
        Integer.parseInt(text, 11, 13, 10),
        Integer.parseInt(text, 14, 16, 10),
        Integer.parseInt(text, 17, 19, 10));
  }

  /// Returns a wall-clock time like [#clock]; a missing value is an error.
  public long neededClock(String column) {
    String text = needed(column);
    Optional<Long> clock = clock(column);
    if (clock.isEmpty()) {
      throw fault(column, "%s is not a time.".formatted(shown(text)));
    }
    return clock.get();
  }

  /// Returns the error of a value in a column.
  public MalformedFile fault(String column, String message) {
    return new MalformedFile(new FileProblem(file, line, cells.at(column), column, message));
  }

  private BigDecimal number(String column, String text) {
    try {
      BigDecimal number = new BigDecimal(text.length() <= MOST_DIGITS ? text : "");
      if (number.abs().compareTo(LONGEST) <= 0 && number.scale() <= MOST_DIGITS) {
        return number;
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    throw fault(column, "\"%s\" is not a number in range.".formatted(shown(text)));
  }

  private static String shown(String text) {
    String line = text.replaceAll("\\p{Cntrl}", " ");
    return line.length() <= 60 ? line : line.substring(0, 60) + "...";
  }
}

package dev.muster.simulator.file;

import dev.muster.policy.file.FileProblem;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/// One row of a table, or one JSON object: named values, each as the text in the file, read on
/// demand. What cannot be read is a [BadFile] that names file, line, column and value.
///
/// @param file the file as the user named it
/// @param line its line, counted from 1
/// @param cells its values
public record Row(String file, int line, Cells cells) {
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
  private static final BigDecimal EXBIBYTE = BigDecimal.valueOf(1L << 30);
  private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE / 1_000_000);

  /// More digits, or places after the point, than any of these values has. `1e-999999999` is short
  /// to write, and takes for ever to be rounded.
  private static final int MOST_DIGITS = 100;

  /// The values of a row.
  public interface Cells {
    /// The text under a column; empty when it has none.
    String text(String column);

    /// Where in the line the value begins, counted from 1.
    int at(String column);
  }

  /// The text without blanks around it; empty when the row has none.
  public String text(String column) {
    return cells.text(column).strip();
  }

  /// The text, which must not be empty.
  public String needed(String column) {
    String text = text(column);
    if (text.isEmpty()) {
      throw fault(column, "is empty.");
    }
    return text;
  }

  /// A whole number of at least 0; `8.0` is one too.
  public long count(String column) {
    BigDecimal number = number(column, needed(column));
    if (number.signum() < 0 || number.stripTrailingZeros().scale() > 0) {
      throw fault(column, number + " is not a whole number of 0 or more.");
    }
    return number.longValueExact();
  }

  /// A whole number of at least 0, at most what an `int` holds.
  public int small(String column) {
    return small(column, Integer.MAX_VALUE);
  }

  /// A whole number of at least 0 and at most this.
  public int small(String column, int most) {
    long count = count(column);
    if (count > most) {
      throw fault(column, count + " exceeds " + most + ".");
    }
    return (int) count;
  }

  /// A whole number of at least 1.
  public int atLeastOne(String column) {
    int count = small(column);
    if (count == 0) {
      throw fault(column, "0 is less than 1.");
    }
    return count;
  }

  /// A number of any size and sign, times a thousand, rounded to the nearest whole: seconds as
  /// milliseconds, cores as thousandths of one.
  public long thousandfold(String column) {
    return number(column, needed(column))
        .multiply(THOUSAND)
        .setScale(0, RoundingMode.HALF_UP)
        .longValueExact();
  }

  /// As [#thousandfold], but at least 0.
  public long positiveThousandfold(String column) {
    long value = thousandfold(column);
    if (value < 0) {
      throw fault(column, text(column) + " is negative.");
    }
    return value;
  }

  /// As [#positiveThousandfold]; absent when the value is missing.
  public Optional<Long> maybeThousandfold(String column) {
    String text = text(column);
    return text.isEmpty() || text.equalsIgnoreCase("nan")
        ? Optional.empty()
        : Optional.of(positiveThousandfold(column));
  }

  /// A number of gibibytes in bytes, an exbibyte at most.
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

  /// A wall-clock time `YYYY-MM-DD hh:mm:ss`, with or without a zone, in milliseconds since the
  /// epoch; without a zone it is taken as UTC. Absent when the value is missing or `None`.
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
      String iso = text.replace(' ', 'T');
      boolean zoned = iso.endsWith("Z") || iso.lastIndexOf('+') > 10 || iso.lastIndexOf('-') > 10;
      return zoned
          ? OffsetDateTime.parse(iso).toInstant().toEpochMilli()
          : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC).toEpochMilli();
    } catch (DateTimeParseException _) {
      throw fault(
          column, "\"%s\" is not a time such as 2017-10-09 07:01:55.".formatted(shown(text)));
    }
  }

  /// As [#clock], but the value must be there.
  public long neededClock(String column) {
    String text = needed(column);
    Optional<Long> clock = clock(column);
    if (clock.isEmpty()) {
      throw fault(column, "%s is not a time.".formatted(shown(text)));
    }
    return clock.get();
  }

  /// What is wrong with the value in a column.
  public BadFile fault(String column, String message) {
    return new BadFile(new FileProblem(file, line, cells.at(column), column, message));
  }

  private BigDecimal number(String column, String text) {
    try {
      BigDecimal number = new BigDecimal(text.length() <= MOST_DIGITS ? text : "");
      if (number.abs().compareTo(LONGEST) <= 0 && number.scale() <= MOST_DIGITS) {
        return number;
      }
    } catch (NumberFormatException _) {
      // told below
    }
    throw fault(column, "\"%s\" is not a number in range.".formatted(shown(text)));
  }

  private static String shown(String text) {
    String line = text.replaceAll("\\p{Cntrl}", " ");
    return line.length() <= 60 ? line : line.substring(0, 60) + "...";
  }
}

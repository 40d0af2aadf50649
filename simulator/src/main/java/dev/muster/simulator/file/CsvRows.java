package dev.muster.simulator.file;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.muster.policy.yaml.FileProblem;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The rows of a CSV table, with columns named by its header.
public final class CsvRows implements Iterator<InputRow> {
  private final InputFile source;
  private final Map<String, Integer> columns = new HashMap<>();
  private final Set<String> twice = new HashSet<>();
  private final int width;
  private final Iterator<CsvRecord> records;
  private final Ending ending;
  private @Nullable CsvRecord ahead;

  /// Reads the rows of a text.
  ///
  /// @param source the file, for error messages
  /// @param text its content
  /// @param header the columns of a file without a header line; null: the first line is the header
  public CsvRows(InputFile source, Reader text, @Nullable List<String> header) {
    this.source = source;
    this.ending = new Ending(text);
    this.records =
        CsvReader.builder()
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .ofCsvRecord(ending)
            .iterator();
    List<String> names = header != null ? header : hasNext() ? record().getFields() : List.of();
    this.width = names.size();
    for (int i = 0; i < width; i++) {
      String name = names.get(i).strip();
      if (columns.putIfAbsent(name, i) != null) {
        twice.add(name);
      }
    }
  }

  @Override
  public boolean hasNext() {
    try {
      while (ahead == null && records.hasNext()) {
        CsvRecord row = records.next();
        ahead = row.getFieldCount() == 1 && row.getField(0).isBlank() ? null : row;
      }
      return ahead != null;
    } catch (UncheckedIOException failed) {
      throw source.unreadable(failed);
    } catch (CsvParseException bad) {
      throw fault(bad);
    }
  }

  /// Returns the error of the parser, which wraps those of the text below it.
  private MalformedFile fault(CsvParseException bad) {
    return bad.getCause() instanceof MalformedFile below
        ? below
        : MalformedFile.ofFile(source.file(), "is not CSV: " + bad.getMessage());
  }

  private CsvRecord record() {
    if (!hasNext() || ahead == null) {
      throw new NoSuchElementException("No more rows.");
    }
    CsvRecord row = ahead;
    ahead = null;
    return row;
  }

  @Override
  public InputRow next() {
    CsvRecord row = record();
    int line = (int) Math.min(Integer.MAX_VALUE, row.getStartingLineNumber());
    if (isOpen(row)) {
      throw new MalformedFile(
          new FileProblem(
              source.file(),
              line,
              at(row, row.getFieldCount() - 1),
              "",
              "unclosed quotation mark."));
    }
    return new InputRow(source.file(), line, new Fields(line, row));
  }

  /// True if the quotation mark of the last value is never closed.
  ///
  /// The value then holds the whole rest of the file, and its rows would be missing without an
  /// error.
  private boolean isOpen(CsvRecord row) {
    String last = row.getField(row.getFieldCount() - 1);
    boolean hasLines = last.indexOf('\n') >= 0 || last.indexOf('\r') >= 0;
    return hasLines && !hasNext() && ending.last != '"';
  }

  private static int at(CsvRecord row, int index) {
    int at = 1;
    for (int i = 0; i < Math.min(index, row.getFieldCount()); i++) {
      at += written(row.getField(i)) + 1;
    }
    return at;
  }

  /// Returns the length of a value in the file.
  ///
  /// It assumes quotation marks only where they are required (RFC 4180), since the parser does not
  /// report them.
  private static int written(String value) {
    int quotes = (int) value.chars().filter(c -> c == '"').count();
    boolean quoted = quotes > 0 || value.chars().anyMatch(c -> c == ',' || c == '\n' || c == '\r');
    return value.length() + (quoted ? quotes + 2 : 0);
  }

  /// Remembers the last character of the text that is not white space.
  private static final class Ending extends FilterReader {
    private char last;

    Ending(Reader text) {
      super(text);
    }

    @Override
    public int read(char[] into, int from, int length) throws IOException {
      int read = super.read(into, from, length);
      for (int i = from + read - 1; i >= from; i--) {
        if (!Character.isWhitespace(into[i])) {
          last = into[i];
          break;
        }
      }
      return read;
    }
  }

  private final class Fields implements InputRow.Cells {
    private final int line;
    private final CsvRecord row;

    Fields(int line, CsvRecord row) {
      this.line = line;
      this.row = row;
    }

    @Override
    public String text(String column) {
      Integer index = columns.get(column);
      if (index == null) {
        return "";
      }
      if (row.getFieldCount() != width) {
        throw fault(
            1,
            "",
            "the row has %d values, the header %d columns.".formatted(row.getFieldCount(), width));
      }
      if (twice.contains(column)) {
        throw fault(at(column), column, "duplicate column in the header.");
      }
      return row.getField(index);
    }

    private MalformedFile fault(int at, String column, String message) {
      return new MalformedFile(new FileProblem(source.file(), line, at, column, message));
    }

    @Override
    public int at(String column) {
      return CsvRows.at(row, columns.getOrDefault(column, 0));
    }
  }
}

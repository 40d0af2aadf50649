package dev.muster.simulator.file;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.muster.policy.file.FileProblem;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The rows of a table in CSV, named by its header.
public final class CsvRows implements Iterator<Row> {
  private final Source source;
  private final Map<String, Integer> columns = new HashMap<>();
  private final Iterator<CsvRecord> records;

  /// The rows of a text.
  ///
  /// @param source where it comes from
  /// @param header the columns of a file without a header line; null: it has one
  public CsvRows(Source source, Reader text, @Nullable List<String> header) {
    this.source = source;
    this.records =
        CsvReader.builder()
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .ofCsvRecord(text)
            .iterator();
    List<String> names =
        header != null ? header : records.hasNext() ? records.next().getFields() : List.of();
    for (String name : names) {
      columns.putIfAbsent(name.strip(), columns.size());
    }
  }

  @Override
  public boolean hasNext() {
    try {
      return records.hasNext();
    } catch (UncheckedIOException failed) {
      throw source.unreadable(failed);
    } catch (CsvParseException bad) {
      throw BadFile.ofFile(source.file(), bad.getMessage() + " Maybe it is no CSV file.");
    }
  }

  @Override
  public Row next() {
    CsvRecord row = records.next();
    int line = (int) Math.min(Integer.MAX_VALUE, row.getStartingLineNumber());
    return new Row(source.file(), line, new Fields(source.file(), line, columns, row));
  }

  private record Fields(String file, int line, Map<String, Integer> columns, CsvRecord row)
      implements Row.Cells {
    @Override
    public String text(String column) {
      Integer index = columns.get(column);
      if (index == null) {
        return "";
      }
      if (row.getFieldCount() != columns.size()) {
        throw new BadFile(
            new FileProblem(
                file,
                line,
                1,
                "",
                "the row has %d values, the header %d columns. Maybe the row was cut off."
                    .formatted(row.getFieldCount(), columns.size())));
      }
      return row.getField(index);
    }

    @Override
    public int at(String column) {
      int at = 1;
      int index = columns.getOrDefault(column, 0);
      for (int i = 0; i < Math.min(index, row.getFieldCount()); i++) {
        at += row.getField(i).length() + 1;
      }
      return at;
    }
  }
}

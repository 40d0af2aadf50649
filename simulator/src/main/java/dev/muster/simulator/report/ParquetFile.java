package dev.muster.simulator.report;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/// Writes a table as Apache Parquet: one page for each column of a row group, plain values, each
/// column optional, compressed with gzip. That much of the format (parquet-format 2.x) is small;
/// the libraries that write all of it bring a part of Hadoop and native code along.
final class ParquetFile {
  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
  private static final int ROWS_PER_GROUP = 1 << 16;
  private static final int OPTIONAL = 1;
  private static final int UTF8 = 0;
  private static final int PLAIN = 0;
  private static final int RLE = 3;
  private static final int GZIP = 2;

  private final OutputStream out;
  private long written;

  private ParquetFile(OutputStream out) {
    this.out = out;
  }

  /// Where a column of a row group is.
  private record Chunk(long at, int plain, int packed) {}

  /// Rows that were written together.
  private record Rows(int count, List<Chunk> chunks) {}

  /// Writes the file.
  ///
  /// @param notes what is said of the whole table, by name
  static <R> void write(Path file, List<Column<R>> columns, List<R> rows, Map<String, String> notes)
      throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      new ParquetFile(out).write(columns, rows, notes);
    }
  }

  private <R> void write(List<Column<R>> columns, List<R> rows, Map<String, String> notes)
      throws IOException {
    put(MAGIC);
    List<Rows> groups = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += ROWS_PER_GROUP) {
      List<R> some = rows.subList(from, Math.min(rows.size(), from + ROWS_PER_GROUP));
      List<Chunk> chunks = new ArrayList<>();
      for (Column<R> column : columns) {
        chunks.add(page(column, some));
      }
      groups.add(new Rows(some.size(), chunks));
    }
    byte[] footer = footer(columns, rows.size(), groups, notes);
    put(footer);
    put(littleEndian(Integer.BYTES).putInt(footer.length).array());
    put(MAGIC);
  }

  private void put(byte[] bytes) throws IOException {
    out.write(bytes);
    written += bytes.length;
  }

  private static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  // ---- Pages ----

  private <R> Chunk page(Column<R> column, List<R> rows) throws IOException {
    ByteArrayOutputStream values = new ByteArrayOutputStream();
    boolean[] known = new boolean[rows.size()];
    for (int i = 0; i < known.length; i++) {
      Object cell = column.of().apply(rows.get(i));
      known[i] = cell != null;
      if (cell != null) {
        values.write(plain(column.type(), cell));
      }
    }
    byte[] levels = levels(known);
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    page.write(littleEndian(Integer.BYTES).putInt(levels.length).array());
    page.write(levels);
    values.writeTo(page);
    byte[] packed = packed(page.toByteArray());
    byte[] header =
        new Compact()
            .number(1, 0) // a data page
            .number(2, page.size())
            .number(3, packed.length)
            .struct(
                5,
                new Compact().number(1, rows.size()).number(2, PLAIN).number(3, RLE).number(4, RLE))
            .end();
    long at = written;
    put(header);
    put(packed);
    return new Chunk(at, header.length + page.size(), header.length + packed.length);
  }

  private static byte[] plain(Column.Type type, Object cell) {
    return switch (type) {
      case TEXT -> {
        byte[] text = ((String) cell).getBytes(StandardCharsets.UTF_8);
        yield littleEndian(Integer.BYTES + text.length).putInt(text.length).put(text).array();
      }
      case WHOLE -> littleEndian(Long.BYTES).putLong(((Number) cell).longValue()).array();
      case THOUSANDTHS ->
          littleEndian(Double.BYTES).putDouble(((Number) cell).longValue() / 1000.0).array();
      case DECIMAL -> littleEndian(Double.BYTES).putDouble((Double) cell).array();
    };
  }

  /// Which cells are known, as runs of equal levels: twice the length, then the level.
  private static byte[] levels(boolean[] known) {
    Compact runs = new Compact();
    for (int from = 0, to = 0; from < known.length; from = to) {
      while (to < known.length && known[to] == known[from]) {
        to++;
      }
      runs.varint((long) (to - from) << 1).raw(known[from] ? 1 : 0);
    }
    return runs.bytes();
  }

  private static byte[] packed(byte[] plain) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    }
    return packed.toByteArray();
  }

  // ---- What stands at the end ----

  private static <R> byte[] footer(
      List<Column<R>> columns, long rows, List<Rows> groups, Map<String, String> notes) {
    List<Compact> schema = new ArrayList<>();
    schema.add(new Compact().text(4, "rows").number(5, columns.size()));
    columns.forEach(column -> schema.add(element(column)));
    List<Compact> said = new ArrayList<>();
    notes.forEach((name, note) -> said.add(new Compact().text(1, name).text(2, note)));
    return new Compact()
        .number(1, 1) // the version of the format
        .structs(2, schema)
        .longer(3, rows)
        .structs(4, groups.stream().map(group -> group(columns, group)).toList())
        .structs(5, said)
        .text(6, "muster")
        .end();
  }

  private static Compact element(Column<?> column) {
    Compact element = new Compact().number(1, type(column)).number(3, OPTIONAL);
    element.text(4, column.name());
    return column.type() == Column.Type.TEXT ? element.number(6, UTF8) : element;
  }

  private static int type(Column<?> column) {
    return switch (column.type()) {
      case TEXT -> 6; // an array of bytes
      case WHOLE -> 2; // 64 bits
      case THOUSANDTHS, DECIMAL -> 5; // a double
    };
  }

  private static <R> Compact group(List<Column<R>> columns, Rows rows) {
    List<Compact> chunks = new ArrayList<>();
    long plain = 0;
    for (int i = 0; i < columns.size(); i++) {
      Chunk chunk = rows.chunks().get(i);
      Compact inner =
          new Compact()
              .number(1, type(columns.get(i)))
              .numbers(2, PLAIN, RLE)
              .texts(3, columns.get(i).name())
              .number(4, GZIP)
              .longer(5, rows.count())
              .longer(6, chunk.plain())
              .longer(7, chunk.packed())
              .longer(9, chunk.at());
      chunks.add(new Compact().longer(2, chunk.at()).struct(3, inner));
      plain += chunk.plain();
    }
    return new Compact().structs(1, chunks).longer(2, plain).longer(3, rows.count());
  }

  /// A struct in Thrift's compact protocol; fields in ascending order.
  private static final class Compact {
    private static final int INT = 5;
    private static final int LONG = 6;
    private static final int BINARY = 8;
    private static final int LIST = 9;
    private static final int STRUCT = 12;
    private static final int LONG_LIST = 15;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int last;

    private void field(int id, int type) {
      out.write(((id - last) << 4) | type);
      last = id;
    }

    Compact raw(int value) {
      out.write(value);
      return this;
    }

    Compact varint(long value) {
      long rest = value;
      for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
        out.write((int) ((rest & 0x7F) | 0x80));
      }
      out.write((int) rest);
      return this;
    }

    private void zigzag(long value) {
      varint((value << 1) ^ (value >> 63));
    }

    Compact number(int id, int value) {
      field(id, INT);
      zigzag(value);
      return this;
    }

    Compact longer(int id, long value) {
      field(id, LONG);
      zigzag(value);
      return this;
    }

    Compact text(int id, String text) {
      field(id, BINARY);
      text(text);
      return this;
    }

    private void text(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      varint(bytes.length);
      out.writeBytes(bytes);
    }

    Compact struct(int id, Compact inner) {
      field(id, STRUCT);
      out.writeBytes(inner.end());
      return this;
    }

    private void list(int id, int size, int type) {
      field(id, LIST);
      if (size < LONG_LIST) {
        out.write((size << 4) | type);
      } else {
        out.write((LONG_LIST << 4) | type);
        varint(size);
      }
    }

    Compact structs(int id, List<Compact> inner) {
      list(id, inner.size(), STRUCT);
      inner.forEach(each -> out.writeBytes(each.end()));
      return this;
    }

    Compact numbers(int id, int... values) {
      list(id, values.length, INT);
      for (int value : values) {
        zigzag(value);
      }
      return this;
    }

    Compact texts(int id, String text) {
      list(id, 1, BINARY);
      text(text);
      return this;
    }

    byte[] end() {
      out.write(0);
      return out.toByteArray();
    }

    byte[] bytes() {
      return out.toByteArray();
    }
  }
}

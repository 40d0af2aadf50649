package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.run.JobOutcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The file has what the format demands, byte by byte; `jobs.parquet` has the rows of `jobs.csv`.
final class ParquetFileTest {
  private static final List<Column<Integer>> COLUMNS =
      List.of(
          new Column<>("name", Column.Type.TEXT, n -> n == 2 ? null : "n" + n),
          new Column<>("half", Column.Type.THOUSANDTHS, n -> 500L * n));

  private Path file = Path.of("");

  @BeforeEach
  void place(@TempDir Path folder) {
    file = folder.resolve("jobs.parquet");
  }

  private ByteBuffer written(List<Integer> rows) throws IOException {
    ParquetFile.write(file, COLUMNS, rows, Map.of("version", "v"));
    return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String text(ByteBuffer bytes, int at, int length) {
    byte[] part = new byte[length];
    bytes.get(at, part);
    return new String(part, StandardCharsets.UTF_8);
  }

  @Test
  void itBeginsAndEndsWithItsName() throws IOException {
    ByteBuffer bytes = written(List.of(1, 2, 3));
    int end = bytes.limit();
    assertThat(text(bytes, 0, 4) + text(bytes, end - 4, 4)).isEqualTo("PAR1PAR1");
    int footer = bytes.getInt(end - 8);
    assertThat(text(bytes, end - 8 - footer, footer)).contains("name", "half", "version", "muster");
  }

  @Test
  void theFooterSaysHowManyRowsOfWhatThereAre() throws IOException {
    ByteBuffer bytes = written(List.of(1, 2, 3));
    int length = bytes.getInt(bytes.limit() - 8);
    byte[] footer = new byte[length];
    bytes.get(bytes.limit() - 8 - length, footer);
    // version 1; a list of 3 structs: the root with 2 children, an optional UTF8 array of bytes, an
    // optional double; 3 rows (zigzag: 6)
    assertThat(HexFormat.of().formatHex(footer))
        .startsWith(
            "1502"
                + "193c"
                + ("4804" + hex("rows") + "1504" + "00")
                + ("150c" + "2502" + "1804" + hex("name") + "2500" + "00")
                + ("150a" + "2502" + "1804" + hex("half") + "00")
                + "1606");
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aPageHasItsLevelsAndTheValuesThatAreKnown() throws IOException {
    byte[] bytes = written(List.of(1, 2, 3)).array();
    int gzip =
        IntStream.range(4, bytes.length - 1)
            .filter(i -> bytes[i] == 0x1f && bytes[i + 1] == (byte) 0x8b)
            .findFirst()
            .orElseThrow();
    byte[] page =
        new GZIPInputStream(new ByteArrayInputStream(bytes, gzip, bytes.length - gzip))
            .readNBytes(22);
    // 6 bytes of levels: one known, one not, one known; then the texts with their lengths
    assertThat(HexFormat.of().formatHex(page))
        .isEqualTo(
            "06000000"
                + "0201"
                + "0200"
                + "0201"
                + "02000000"
                + hex("n1")
                + "02000000"
                + hex("n3"));
  }

  @Test
  void manyRowsAreWrittenInGroups() throws IOException {
    List<Integer> rows = IntStream.range(0, 150_000).boxed().toList();
    byte[] bytes = written(rows).array();
    long pages =
        IntStream.range(4, bytes.length - 2)
            .filter(i -> bytes[i] == 0x1f && bytes[i + 1] == (byte) 0x8b && bytes[i + 2] == 8)
            .count();
    assertThat(pages).isGreaterThanOrEqualTo(6);
  }

  @Test
  void whatTheTraceDoesNotSayIsNotKnown() throws InterruptedException {
    JobOutcome job = Runs.of("1x8", "a 0+100 1x8").jobs().getFirst();
    assertThat(JobColumns.of(List.of()))
        .filteredOn(column -> column.of().apply(job) == null)
        .extracting(Column::name)
        .containsExactly("queue", "user", "project", "reason", "message");
  }

  @Test
  void aRunIsWritten() throws IOException, InterruptedException {
    ResultFiles.write(Runs.drawn(), file.resolveSibling(""), true);
    byte[] bytes = Files.readAllBytes(file);
    assertThat(text(ByteBuffer.wrap(bytes), 0, bytes.length))
        .contains("job_id", "reason", "message");
  }
}

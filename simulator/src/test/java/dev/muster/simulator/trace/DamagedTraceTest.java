package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.file.MalformedFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Traces damaged as files are reported, and no missing part is ignored.
final class DamagedTraceTest {
  private static final String TIRESIAS = "job_id,num_gpu,submit_time,duration\n";

  @TempDir private Path folder;
  private Path file = Path.of("set before each test");

  @BeforeEach
  void name() {
    file = folder.resolve("t");
  }

  @Test
  void file_in_another_encoding_is_refused() throws IOException {
    Files.write(file, (TIRESIAS + "zürich,1,0,5\n").getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessage(file + ": is not UTF-8 text.");
  }

  @Test
  void truncated_compressed_file_is_refused() throws IOException {
    byte[] whole = zipped(TIRESIAS + "1,1,0,5\n");
    Files.write(file, Arrays.copyOf(whole, whole.length - 9));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessageStartingWith(file + ": ends unexpectedly.");
  }

  @Test
  void compressed_file_followed_by_plain_text_is_refused() throws IOException {
    Files.write(file, zipped(TIRESIAS + "1,1,0,5\n"));
    Files.writeString(file, "2,1,0,5\n", StandardOpenOption.APPEND);
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessageContaining("uncompressed data after the compressed data");
  }

  @Test
  void concatenated_compressed_files_are_read() throws IOException {
    Files.write(file, zipped(TIRESIAS + "1,1,0,5\n"));
    Files.write(file, zipped("2,1,0,5\n"), StandardOpenOption.APPEND);
    Files.write(file, new byte[1024], StandardOpenOption.APPEND); // as archives pad
    assertThat(Samples.jobs(file, TraceOptions.DEFAULT)).hasSize(2);
  }

  @Test
  void unclosed_quotation_mark_hides_no_rows() throws IOException {
    String rows = "2017-10-09 07:01:55,5,1,a\n2017-10-09 07:01:56,5,1,\"b\n";
    Files.writeString(
        file, "timestamp,duration,num_gpus,cluster\n" + rows + "2017-10-09 07:01:57,5,1,c\n");
    for (TraceOptions options : List.of(TraceOptions.DEFAULT, Samples.skippingBad())) {
      assertThatThrownBy(() -> Samples.jobs(file, options))
          .isInstanceOf(MalformedFile.class)
          .hasMessage(file + ":3:25: unclosed quotation mark.");
    }
  }

  @Test
  void unclosed_quotation_mark_does_not_keep_the_rest_of_the_file() throws IOException {
    String row = "7".repeat(1 << 16) + "\n";
    Files.write(file, zipped(TIRESIAS + "1,1,0,\"5\n" + row.repeat(1 << 9)));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessageStartingWith(file + ": is not CSV: The maximum buffer size of 16777216 is")
        .hasMessageEndingWith("(record starting at line 2)");
  }

  @Test
  void last_rows_may_end_with_a_value_of_two_lines() throws IOException {
    Files.writeString(file, "job_id,num_gpu,submit_time,duration,note\n1,1,0,5,\"a\nb\"\n");
    assertThat(Samples.jobs(file, TraceOptions.DEFAULT)).hasSize(1);
  }

  private byte[] zipped(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }
}

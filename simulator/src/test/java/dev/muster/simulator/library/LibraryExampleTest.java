package dev.muster.simulator.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the program of docs/simulator-library.md and compares its output with the page.
final class LibraryExampleTest {
  private static final Path SOURCE =
      Path.of("src/test/java/dev/muster/simulator/library/LibraryExample.java");
  private static final String TRACE =
      """
      job_id,num_gpu,submit_time,duration
      a,8,0,100
      b,16,10,100
      c,8,20,50
      """;

  private static String docs() throws IOException {
    return Files.readString(Path.of("../docs/simulator-library.md"));
  }

  @Test
  void program_of_the_page_is_this_one() throws IOException {
    String source = Files.readString(SOURCE);
    assertThat(docs()).contains(source.substring(source.indexOf("import ")).strip());
  }

  @Test
  void output_is_that_of_the_page(@TempDir Path folder) throws IOException, InterruptedException {
    Path trace = Files.writeString(folder.resolve("trace.csv"), TRACE);
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      LibraryExample.main(new String[] {trace.toString()});
    } finally {
      System.setOut(before);
    }
    assertThat(docs()).contains("```\n" + said.toString(StandardCharsets.UTF_8) + "```\n");
    assertThat(docs()).contains("```\n" + TRACE + "```\n");
  }
}

package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.topology.TopologyLevel;
import dev.muster.simulator.summary.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// docs/simulator-files.md lists every column and every field.
final class FilesPageTest {
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  /// The names in the first column of the table below a heading.
  private static List<String> table(String heading) throws IOException {
    String page = Files.readString(Path.of("../docs/simulator-files.md"));
    String below = page.substring(page.indexOf("\n## " + heading) + 1);
    int end = below.indexOf("\n## ");
    List<String> names = new ArrayList<>();
    for (String line : below.substring(0, end < 0 ? below.length() : end).split("\n", -1)) {
      if (line.startsWith("| `")) {
        Matcher name = NAME.matcher(line.substring(0, line.indexOf(" | ", 2)));
        while (name.find()) {
          names.add(name.group(1));
        }
      }
    }
    return names;
  }

  @Test
  void page_lists_the_columns_of_jobs() throws IOException {
    assertThat(table("jobs.csv"))
        .containsExactlyElementsOf(
            JobColumns.of(List.of(new TopologyLevel("LEVEL", "example.com/level"))).stream()
                .map(TableColumn::name)
                .toList());
  }

  @Test
  void page_lists_the_fields_of_the_summary() throws IOException {
    assertThat(table("summary.json"))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Summary.class.getRecordComponents())
                .map(field -> field.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
                .toList());
  }
}

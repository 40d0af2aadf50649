package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// docs/simulator-files.md lists every field of Muster's own traces.
final class OwnFieldsPageTest {
  private static final Pattern SECTION = Pattern.compile("(?s)\\n## Traces of our own.*?\\n## ");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^|]*)` \\|");

  @Test
  void table_of_the_page_has_all_fields() throws IOException {
    Matcher section = SECTION.matcher(Files.readString(Path.of("../docs/simulator-files.md")));
    assertThat(section.find()).isTrue();
    assertThat(
            ROW.matcher(section.group())
                .results()
                .flatMap(row -> Arrays.stream(row.group(1).split("`[^`]*`", -1)))
                .toList())
        .containsExactlyInAnyOrderElementsOf(JobJson.FIELDS);
  }
}

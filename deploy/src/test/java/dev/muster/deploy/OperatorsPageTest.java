package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The page about operators shows what the end-to-end tests run.
class OperatorsPageTest {
  private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");
  private static final Pattern SHOWN = Pattern.compile("(?m)^\\| \\[[^|]*\\| ([0-9.]+) \\|");
  private static final Pattern PINNED = Pattern.compile("(?m)^\\w\\S* .* v([0-9.]+) ");

  private final String page =
      Files.readString(ShippedFiles.folder().resolveSibling("docs").resolve("operators.md"));

  OperatorsPageTest() throws IOException {}

  @Test
  void page_shows_the_files_that_are_tested() {
    assertThat(groups(YAML, page))
        .containsExactlyInAnyOrderElementsOf(
            ShippedFiles.yamlFiles("examples/operators").stream().map(ShippedFiles::text).toList());
  }

  @Test
  void page_names_the_versions_that_are_tested() {
    assertThat(groups(SHOWN, page))
        .isNotEmpty()
        .isSubsetOf(groups(PINNED, ShippedFiles.text("control-plane/operators/versions")));
  }

  private static List<String> groups(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1)).toList();
  }
}

package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The page about the command line shows what the commands print.
class CommandLinePageTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"why eval -n team-b", "queue -A", "nodes", "share", "budgets", "top --once"})
  void page_shows_the_output(String command) throws IOException {
    String page =
        Files.readString(ShippedFiles.folder().resolveSibling("docs").resolve("command-line.md"));
    try (ClientScene scene = new ClientScene()) {
      assertThat(page).contains(scene.run(command.split(" ", -1)).out());
    }
  }
}

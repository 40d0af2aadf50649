package dev.muster.policy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The journal and the ledger may not be one file, because each would drop the other's lines.
class ShippedConfigurationTest {
  @TempDir private Path folder;

  private static String problems(Path journal, String ledger) {
    return ExpectedRefusal.of("journal: %s\npreemption: {ledger: %s}".formatted(journal, ledger));
  }

  @Test
  void one_file_spelt_in_two_ways_is_refused() {
    assertThat(problems(folder.resolve("x"), folder + "/./x"))
        .endsWith(
            "journal (%1$s/x) and preemption.ledger (%1$s/./x) are one file. Each needs a file of its own."
                .formatted(folder));
  }

  @Test
  void one_file_in_a_linked_folder_is_refused() throws IOException {
    Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("logs")));

    assertThat(problems(folder.resolve("logs/x"), folder + "/link/x")).contains("are one file");
  }

  @Test
  void link_to_the_other_file_is_refused() throws IOException {
    Files.createSymbolicLink(folder.resolve("link"), Files.createFile(folder.resolve("x")));

    assertThat(problems(folder.resolve("x"), folder + "/link")).contains("are one file");
  }

  @Test
  void link_to_the_other_file_is_refused_before_the_file_exists() throws IOException {
    Files.createSymbolicLink(folder.resolve("link"), Path.of("x"));

    assertThat(problems(folder.resolve("x"), folder + "/link")).contains("are one file");
  }

  @Test
  void two_files_are_accepted() throws IOException {
    Files.createSymbolicLink(folder.resolve("round"), Path.of("round"));

    assertThat(problems(folder.resolve("x"), folder + "/y")).isEmpty();
    assertThat(problems(folder.resolve("x"), folder + "/round")).isEmpty();
  }
}

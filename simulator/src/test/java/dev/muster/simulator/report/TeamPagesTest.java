package dev.muster.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page of a team has its jobs only.
final class TeamPagesTest {
  @Test
  void page_has_the_jobs_of_its_queue_alone(@TempDir Path folder)
      throws IOException, InterruptedException {
    var run =
        RecordedRuns.of("1x8", "mine 0+60 1x8 a/b\nalso 0+60 1x8 a/b\nsecret 0+60 1x4 other\n");
    assertThat(TeamPages.write(run, folder)).containsExactly("team-a_b.html", "team-other.html");
    assertThat(folder.resolve("team-a_b.html"))
        .content()
        .contains("Half of the jobs of a/b start within", "also")
        .doesNotContain("secret");
  }

  @Test
  void two_queues_never_share_a_page(@TempDir Path folder)
      throws IOException, InterruptedException {
    var run = RecordedRuns.of("1x8", "x 0+60 1x8 a/b\ny 0+60 1x8 a:b\n");
    assertThat(TeamPages.write(run, folder)).containsExactly("team-a_b.html", "team-a_b-2.html");
  }
}

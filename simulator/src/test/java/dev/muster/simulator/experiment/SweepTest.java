package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.run.RunObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A sweep keeps its runs in a folder and resumes there.
final class SweepTest {
  private static final String QUEUE =
      """
      a 0+100 1x8
      b 10+20 1x8
      """;

  private static Scenario scenario(String fleet, String jobs, String policy) {
    return new Scenario(
        FleetNotation.parse(fleet).orElseThrow(),
        new InMemory(jobs),
        PolicyVariant.of(policy, Optional.empty()),
        Assumptions.NONE,
        42);
  }

  @Test
  void sweep_continues_after_an_interruption(@TempDir Path folder)
      throws IOException, InterruptedException {
    List<ParameterSweep.Point> points =
        List.of(point("1x8", "fifo-strict"), point("1x8", "srtf"), point("2x8", "srtf"));
    ParameterSweep sweep = new ParameterSweep(points, folder);
    assertThat(sweep.missing(1, 2)).containsExactly(1);
    sweep.keep(1, points.get(1).scenario().run(RunObserver.NONE));
    assertThat(new ParameterSweep(points, folder).missing(0, 1)).containsExactly(0, 2);
    assertThat(sweep.merge()).isEqualTo(1);
    assertThat(Files.readAllLines(folder.resolve("sweep.csv")))
        .hasSize(2)
        .last()
        .asString()
        .startsWith("\"1x8\",\"srtf\",");
  }

  @Test
  void sweep_names_its_files_independent_of_the_locale(@TempDir Path folder)
      throws InterruptedException {
    ParameterSweep.Point one = point("1x8", "srtf");
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("ar", "EG"));
    try {
      new ParameterSweep(List.of(one), folder).keep(0, one.scenario().run(RunObserver.NONE));
    } finally {
      Locale.setDefault(before);
    }
    assertThat(folder.resolve("runs/000000.json")).exists();
  }

  @Test
  void sweep_recognises_its_folder(@TempDir Path folder) throws InterruptedException {
    ParameterSweep.Point one = point("1x8", "srtf");
    new ParameterSweep(List.of(one), folder).keep(0, one.scenario().run(RunObserver.NONE));
    assertThatThrownBy(
            () -> new ParameterSweep(List.of(point("2x8", "srtf")), folder).missing(0, 1))
        .hasMessageContaining("belongs to another sweep");
  }

  private static ParameterSweep.Point point(String fleet, String policy) {
    TreeMap<String, String> values = new TreeMap<>(Map.of("cluster", fleet, "policy", policy));
    return new ParameterSweep.Point(values, scenario(fleet, QUEUE, policy), "print");
  }
}

package dev.muster.simulator.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.pack.PackRun.Point;
import dev.muster.simulator.pack.PublishedPacking.Figure;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Results of packing runs are printed and written.
final class PackTableTest {
  private static final List<Point> RUN =
      List.of(new Point(0.01, 0.01, 0), new Point(0.02, 0.02, 0.5));

  @Test
  void means_of_several_seeds_have_a_confidence_interval() {
    assertThat(PackTable.lines("fgd", List.of(RUN, RUN)))
        .containsExactly(
            "fgd,0.01,0.010000,0.000000,0.000000,0.000000",
            "fgd,0.02,0.020000,0.000000,0.500000,0.000000");
    assertThat(PackTable.row("fgd", List.of(RUN, RUN), Optional.empty())).contains("2.00 % +-0.00");
  }

  @Test
  void one_seed_has_no_confidence_interval() {
    assertThat(PackTable.lines("fgd", List.of(RUN)).getLast())
        .isEqualTo("fgd,0.02,0.020000,,0.500000,");
    assertThat(PackTable.row("fgd", List.of(RUN), Optional.empty()))
        .contains("2.00 %", "50.00 %")
        .doesNotContain("+-");
  }

  @Test
  void published_figure_holds_up_to_two_deviations() {
    assertThat(PackTable.row("fgd", List.of(RUN), Optional.of(new Figure(2.4, 0.2))))
        .contains("2.40 % (sd 0.20)", "within two deviations: 2.0");
    assertThat(PackTable.row("fgd", List.of(RUN), Optional.of(new Figure(1.5, 0.2))))
        .contains("OUTSIDE two deviations: 2.5");
  }
}

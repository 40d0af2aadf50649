package dev.muster.simulator.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.simulator.fleet.FleetNotation;
import dev.muster.simulator.kit.InMemory;
import dev.muster.simulator.report.Headline;
import dev.muster.simulator.run.RunObserver;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The headline of a comparison names the best variant, and where another one is better.
final class ComparisonVerdictTest {
  private static final String WIDE =
      """
      first 0+1000 1x6 prod
      wide 1+1000 1x8 prod
      s1 2+990 1x2 dev
      s2 3+990 1x2 dev
      s3 990+2000 1x2 dev
      """;

  private static Variant on(String fleet, String policy) throws InterruptedException {
    return Variant.of(
        List.of(
            new Scenario(
                    FleetNotation.parse(fleet).orElseThrow().priced(2),
                    new InMemory(WIDE),
                    PolicyVariant.of(policy, Optional.empty()),
                    Assumptions.NONE,
                    42)
                .run(RunObserver.NONE)));
  }

  @Test
  void answer_says_where_another_variant_is_better() throws InterruptedException {
    Headline headline =
        ComparisonVerdict.of(List.of(on("1x8", "fifo-strict"), on("1x8", "fifo-skip")));
    assertThat(headline.answer())
        .isEqualTo(
            "fifo-skip on 1x8 has the shortest mean wait: 13.3m, not 20.0m as fifo-strict on 1x8."
                + " Its worst size, 5-8 GPUs, waits 50.0m at p95; the worst size of fifo-strict on"
                + " 1x8 waits 33.3m.");
    assertThat(headline.notes()).hasSize(1);
  }

  @Test
  void answer_says_where_no_variant_is_better() throws InterruptedException {
    Headline headline =
        ComparisonVerdict.of(List.of(on("9x8", "fifo-strict"), on("9x8", "fifo-skip")));
    assertThat(headline.answer()).isEqualTo("All 2 variants have the same mean wait: 0.0s.");
  }

  @Test
  void points_are_cost_of_a_month_against_wait() throws InterruptedException {
    Headline headline =
        ComparisonVerdict.of(List.of(on("1x8", "fifo-strict"), on("2x8", "fifo-strict")));
    assertThat(Objects.requireNonNull(headline.plot()).points())
        .extracting(Headline.Point::name, Headline.Point::x, Headline.Point::chosen)
        .containsExactly(
            tuple("fifo-strict on 1x8", 1460.0, false), tuple("fifo-strict on 2x8", 2920.0, true));
  }

  @Test
  void names_of_fleets_have_no_folders() {
    assertThat(Variant.last("/home/ann/fleets/now.yaml")).isEqualTo("now.yaml");
    assertThat(Variant.last("12x8")).isEqualTo("12x8");
  }
}

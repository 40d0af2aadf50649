package dev.muster.server.kube.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.GangPhase;
import dev.muster.core.state.GangStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodGroupStatusCodecTest {
  @ParameterizedTest
  @CsvSource({
    "PENDING,  0, 0, 0, Pending",
    "RESERVED, 0, 0, 0, Scheduling",
    "RESERVED, 1, 0, 0, Scheduling",
    "RESERVED, 2, 0, 0, Running", // one more pod joins a gang that runs
    "BOUND,    2, 0, 0, Running",
    "BOUND,    1, 1, 0, Running",
    "BOUND,    1, 0, 1, Scheduling",
    "LEAVING,  0, 2, 0, Finished",
    "LEAVING,  0, 1, 1, Failed",
  })
  void gang_of_two_is_shown_in_its_phase(
      GangPhase phase, int bound, int succeeded, int failed, String shown) {
    var status = new GangStatus(phase, 2, 3, bound, succeeded, failed, "Any", "Any.");

    assertThat(PodGroupStatusCodec.phase(status)).isEqualTo(shown);
  }
}

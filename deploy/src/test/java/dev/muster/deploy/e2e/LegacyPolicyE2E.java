package dev.muster.deploy.e2e;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An old kube-scheduler that has no scheduling gates, and knows Muster by a legacy Policy file. */
class LegacyPolicyE2E {
  @RegisterExtension
  static final Stage STAGE = Stage.asShipped().withLegacyScheduler().with(RackScenarios.TOPOLOGY);

  @Nested
  class LonePods extends LonePodScenarios {
    @Override
    Stage stage() {
      return STAGE;
    }
  }

  @Nested
  class Rivals extends RivalScenarios {
    @Override
    Stage stage() {
      return STAGE;
    }
  }

  @Nested
  class Racks extends RackScenarios {
    @Override
    Stage stage() {
      return STAGE;
    }
  }

  @Nested
  class Membership extends MembershipScenarios {
    @Override
    Stage stage() {
      return STAGE;
    }
  }
}

package dev.muster.deploy.e2e;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Pods arrive without a gate and are held only by the extender's filter.
class WithoutWebhookE2E {
  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped().withoutWebhook().with(RackScenarios.TOPOLOGY);

  @Nested
  class LonePods extends LonePodScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Nested
  class Rivals extends RivalScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Nested
  class Racks extends RackScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }

  @Nested
  class Membership extends MembershipScenarios {
    @Override
    TestStage stage() {
      return STAGE;
    }
  }
}

package dev.muster.deploy.e2e;

import org.junit.jupiter.api.extension.RegisterExtension;

/// Members in any order, with everything as shipped.
class MembershipE2E extends MembershipScenarios {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @Override
  TestStage stage() {
    return STAGE;
  }
}

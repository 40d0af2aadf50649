package dev.muster.deploy.e2e;

import org.junit.jupiter.api.extension.RegisterExtension;

/// Members arrive in any order, with the shipped configuration.
class MembershipE2E extends MembershipScenarios {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @Override
  TestStage stage() {
    return STAGE;
  }
}

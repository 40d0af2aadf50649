package dev.muster.deploy.e2e;

import org.junit.jupiter.api.extension.RegisterExtension;

/// Members in any order, with everything as shipped.
class MembershipE2E extends MembershipScenarios {
  @RegisterExtension static final Stage STAGE = Stage.asShipped();

  @Override
  Stage stage() {
    return STAGE;
  }
}

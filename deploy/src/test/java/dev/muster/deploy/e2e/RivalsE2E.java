package dev.muster.deploy.e2e;

import org.junit.jupiter.api.extension.RegisterExtension;

/// Rival gangs run with the shipped configuration.
class RivalsE2E extends RivalScenarios {
  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  @Override
  TestStage stage() {
    return STAGE;
  }
}

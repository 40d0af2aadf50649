package dev.muster.deploy.e2e;

import org.junit.jupiter.api.extension.RegisterExtension;

/** Lone pods with everything as shipped. */
class LonePodE2E extends LonePodScenarios {
  @RegisterExtension static final Stage STAGE = Stage.asShipped();

  @Override
  Stage stage() {
    return STAGE;
  }
}

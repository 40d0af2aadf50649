package dev.muster.deploy.e2e;

import org.junit.jupiter.api.extension.RegisterExtension;

/** Racks, with everything as shipped but the topology. */
class RackE2E extends RackScenarios {
  @RegisterExtension static final Stage STAGE = Stage.asShipped().with(RackScenarios.TOPOLOGY);

  @Override
  Stage stage() {
    return STAGE;
  }
}

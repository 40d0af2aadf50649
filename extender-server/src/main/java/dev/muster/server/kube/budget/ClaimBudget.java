package dev.muster.server.kube.budget;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelector;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.List;
import java.util.Objects;

/// Checks the requests and selectors of a ResourceClaim against its budget.
final class ClaimBudget {
  /// Field of the spec of a claim for which there is no space, with a sentence for its owner.
  static final String REFUSAL = "muster.dev/no-space";

  private static final String REQUESTS = "field spec.devices.requests";

  private int requests;
  private int selectors;
  private long characters;

  private ClaimBudget() {}

  static void check(ResourceClaimSpec claim, Excesses found) {
    if (claim.getAdditionalProperties().get(REFUSAL) instanceof String refusal) {
      found.note(refusal);
    }
    if (claim.getDevices() == null) {
      return;
    }
    ClaimBudget sums = new ClaimBudget();
    for (DeviceRequest request : claim.getDevices().getRequests()) {
      if (request.getExactly() != null) {
        sums.add(request.getExactly().getSelectors());
      }
      for (DeviceSubRequest alternative : request.getFirstAvailable()) {
        sums.add(alternative.getSelectors());
      }
    }
    found.check(REQUESTS, sums.requests, "entries with alternatives", ObjectBudget.DEVICE_REQUESTS);
    found.check(REQUESTS, sums.selectors, "selectors", ObjectBudget.SELECTORS);
    found.check(REQUESTS, sums.characters, "characters of selectors", ObjectBudget.EXPRESSIONS);
  }

  private void add(List<DeviceSelector> all) {
    requests++;
    for (DeviceSelector selector : all) {
      selectors++;
      characters +=
          selector.getCel() == null
              ? 0
              : Objects.requireNonNullElse(selector.getCel().getExpression(), "").length();
    }
  }
}

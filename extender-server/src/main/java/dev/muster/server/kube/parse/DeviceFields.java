package dev.muster.server.kube.parse;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.CapacityRequirements;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCounterConsumption;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimStatus;

/// The fields that are read of claims and devices.
public final class DeviceFields {
  private DeviceFields() {}

  /// Lets the mapper skip all others.
  public static void select(ObjectMapper mapper) {
    mapper.addMixIn(DeviceCounterConsumption.class, OfConsumedCounters.class);
    mapper.addMixIn(DeviceClaim.class, OfDeviceClaim.class);
    mapper.addMixIn(DeviceRequest.class, OfDeviceRequest.class);
    mapper.addMixIn(ExactDeviceRequest.class, OfDevices.class);
    mapper.addMixIn(DeviceSubRequest.class, OfDevices.class);
    mapper.addMixIn(CapacityRequirements.class, OfNothing.class);
    mapper.addMixIn(ResourceClaimStatus.class, OfClaimStatus.class);
    mapper.addMixIn(AllocationResult.class, OfAllocation.class);
    mapper.addMixIn(DeviceAllocationResult.class, OfAllocatedDevices.class);
    mapper.addMixIn(DeviceRequestAllocationResult.class, OfAllocatedDevice.class);
  }

  @JsonIncludeProperties("counterSet")
  private interface OfConsumedCounters {}

  @JsonIncludeProperties("requests")
  private interface OfDeviceClaim {}

  @JsonIncludeProperties({"name", "exactly", "firstAvailable"})
  private interface OfDeviceRequest {}

  @JsonIncludeProperties({
    "name",
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "capacity"
  })
  private interface OfDevices {}

  /// Of these objects, only their presence is read.
  @JsonIncludeProperties({})
  private interface OfNothing {}

  @JsonIncludeProperties({"allocation", "reservedFor"})
  private interface OfClaimStatus {}

  @JsonIncludeProperties("devices")
  private interface OfAllocation {}

  @JsonIncludeProperties("results")
  private interface OfAllocatedDevices {}

  /// Tolerations are left out. Those of a request are copied to each device, so that its last
  /// devices would not be read.
  @JsonIncludeProperties({"request", "driver", "pool", "device", "adminAccess"})
  private interface OfAllocatedDevice {}
}

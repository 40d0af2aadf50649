package dev.muster.server.kube;

import io.fabric8.kubernetes.api.model.resource.v1.CELDeviceSelector;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassSpec;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelector;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which drivers and device classes of Dynamic Resource Allocation offer GPUs, and as which
/// resource these count. It follows from the resource names that count as GPUs: the driver of
/// `nvidia.com/gpu` is `gpu.nvidia.com`, that of `gpu.intel.com/i915` is `gpu.intel.com`.
final class GpuClasses {
  /// Types of device that are whole GPUs; a driver that tells no type has no other.
  static final Set<String> WHOLE = Set.of("gpu", "amdgpu");

  private static final Pattern TYPE = Pattern.compile("\\.type\\s*==\\s*[\"']([^\"']*)[\"']");

  /// What a device class offers.
  sealed interface Offer {
    /// Whole GPUs, counted as this resource.
    record Whole(String accelerator) implements Offer {}

    /// Parts of GPUs: MIG slices, virtual functions.
    record Part(String type) implements Offer {}

    /// Something else.
    record Other() implements Offer {}
  }

  private final TreeMap<String, String> acceleratorOfDriver = new TreeMap<>();

  /// @param accelerators the resource names that count as GPUs; of those of one driver the first
  ///   counts
  GpuClasses(List<String> accelerators) {
    accelerators.forEach(name -> acceleratorOfDriver.putIfAbsent(driver(name), name));
  }

  private static String driver(String accelerator) {
    int slash = accelerator.indexOf('/');
    String vendor = slash < 0 ? accelerator : accelerator.substring(0, slash);
    return vendor.startsWith("gpu.") ? vendor : "gpu." + vendor;
  }

  /// The resource that a driver's GPUs count as; empty for a driver that has none.
  Optional<String> acceleratorOf(String driver) {
    return Optional.ofNullable(acceleratorOfDriver.get(driver));
  }

  /// What the class of this name offers, whose object may not be known. A class named as a driver
  /// of GPUs, as drivers make it, offers all of them.
  Optional<Offer> offer(String name, Optional<DeviceClass> known) {
    return acceleratorOf(name)
        .<Offer>map(Offer.Whole::new)
        .or(() -> known.map(DeviceClass::getSpec).map(this::offer));
  }

  /// A class of an admin's: by what it stands for, and by what its selectors say.
  private Offer offer(DeviceClassSpec spec) {
    String selectors = selectors(spec);
    Optional<String> selected =
        acceleratorOfDriver.keySet().stream()
            .filter(driver ->
                selectors.contains("\"" + driver + "\"") || selectors.contains("'" + driver + "'"))
            .findFirst()
            .map(acceleratorOfDriver::get);
    Optional<String> accelerator =
        Optional.ofNullable(spec.getExtendedResourceName())
            .filter(acceleratorOfDriver::containsValue)
            .or(() -> selected);
    Matcher type = TYPE.matcher(selectors);
    if (accelerator.isEmpty()) {
      return new Offer.Other();
    }
    return type.find() && !WHOLE.contains(type.group(1))
        ? new Offer.Part(type.group(1))
        : new Offer.Whole(accelerator.get());
  }

  private static String selectors(DeviceClassSpec spec) {
    return String.join(
        "\n",
        spec.getSelectors().stream()
            .map(DeviceSelector::getCel)
            .filter(Objects::nonNull)
            .map(CELDeviceSelector::getExpression)
            .filter(Objects::nonNull)
            .toList());
  }
}

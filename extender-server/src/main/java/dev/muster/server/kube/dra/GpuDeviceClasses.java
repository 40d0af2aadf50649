package dev.muster.server.kube.dra;

import io.fabric8.kubernetes.api.model.resource.v1.CELDeviceSelector;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassSpec;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelector;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Maps drivers and device classes of Dynamic Resource Allocation to the GPU resources that they
/// offer.
///
/// The mapping follows from the resource names that count as GPUs: the driver of `nvidia.com/gpu`
/// is `gpu.nvidia.com`, that of `gpu.intel.com/i915` is `gpu.intel.com`.
final class GpuDeviceClasses {
  /// Device types that are whole GPUs. A driver that states no type offers only whole GPUs.
  static final Set<String> WHOLE = Set.of("gpu", "amdgpu");

  private static final Pattern TYPE = Pattern.compile("\\.type\\s*==\\s*[\"']([^\"']*)[\"']");

  /// Expression that selects all whole GPUs of a driver.
  private static final Pattern PLAIN =
      Pattern.compile(
          "\\s*device\\.driver\\s*==\\s*[\"'](?<driver>[^\"']*)[\"']"
              + "(\\s*&&\\s*device\\.attributes\\[[\"']\\k<driver>[\"']]\\.type\\s*==\\s*[\"'](gpu|amdgpu)[\"'])?\\s*");

  /// The devices that a device class offers.
  sealed interface Offer {
    /// A class of whole GPUs.
    ///
    /// @param accelerator resource name as which they count
    /// @param selectors further conditions on the whole GPUs of the driver; absent if the driver is
    ///   not known
    record Whole(String accelerator, Optional<List<String>> selectors) implements Offer {
      public Whole {
        selectors = selectors.map(List::copyOf);
      }
    }

    /// A class of parts of GPUs: MIG slices, virtual functions.
    record Share(String type) implements Offer {}

    /// A class of other devices.
    record Other() implements Offer {}
  }

  private final List<String> accelerators;
  private final TreeMap<String, String> acceleratorOfDriver = new TreeMap<>();

  /// @param accelerators resource names that count as GPUs; the first one of each driver is used
  GpuDeviceClasses(List<String> accelerators) {
    this.accelerators = List.copyOf(accelerators);
    accelerators.forEach(name -> acceleratorOfDriver.putIfAbsent(driver(name), name));
  }

  private static String driver(String accelerator) {
    int slash = accelerator.indexOf('/');
    String vendor = slash < 0 ? accelerator : accelerator.substring(0, slash);
    return vendor.startsWith("gpu.") ? vendor : "gpu." + vendor;
  }

  /// Returns the resource name of a driver's GPUs; empty for a driver without GPUs.
  Optional<String> acceleratorOf(@Nullable String driver) {
    return Optional.ofNullable(driver).map(acceleratorOfDriver::get);
  }

  /// True if the resource itself counts as GPUs.
  boolean isAccelerator(@Nullable String resource) {
    return resource != null && accelerators.contains(resource);
  }

  /// Returns the offer of a device class. A class with the name of a GPU driver, as drivers create
  /// it, offers all GPUs that it selects.
  ///
  /// @param own selectors of the request, which decide about a class of all devices
  /// @param spec the class; empty if it is unknown
  Optional<Offer> offer(String name, List<String> own, Optional<DeviceClassSpec> spec) {
    List<String> selectors =
        spec.map(found -> expressions(found.getSelectors())).orElseGet(List::of);
    return acceleratorOf(name)
        .<Offer>map(gpus -> new Offer.Whole(gpus, Optional.of(selecting(selectors))))
        .or(() -> spec.map(found -> offer(found, selectors, own)));
  }

  /// Returns the offer of a class made by an admin, from its extended resource name and its
  /// selectors.
  private Offer offer(DeviceClassSpec spec, List<String> selectors, List<String> own) {
    Optional<String> standsFor =
        Optional.ofNullable(spec.getExtendedResourceName())
            .filter(acceleratorOfDriver::containsValue);
    boolean ofAll = standsFor.isEmpty() && selectors.isEmpty();
    String text = String.join("\n", ofAll ? own : selectors);
    Optional<String> selected =
        acceleratorOfDriver.keySet().stream()
            .filter(
                driver -> text.contains("\"" + driver + "\"") || text.contains("'" + driver + "'"))
            .findFirst()
            .map(acceleratorOfDriver::get);
    Optional<String> accelerator = standsFor.or(() -> selected);
    if (accelerator.isEmpty()) {
      return new Offer.Other();
    }
    return part(selectors)
        .<Offer>map(Offer.Share::new)
        .orElseGet(
            () -> new Offer.Whole(accelerator.get(), selected.map(_ -> selecting(selectors))));
  }

  /// Returns the type of GPU parts that the expressions select, if any.
  static Optional<String> part(List<String> expressions) {
    Matcher type = TYPE.matcher(String.join("\n", expressions));
    return type.find() && !WHOLE.contains(type.group(1))
        ? Optional.of(type.group(1))
        : Optional.empty();
  }

  /// Returns the expressions that select among the whole GPUs of a driver. Most classes have none.
  private List<String> selecting(List<String> expressions) {
    return expressions.stream().filter(expression -> !isOfWholeDriver(expression)).toList();
  }

  private boolean isOfWholeDriver(String expression) {
    Matcher plain = PLAIN.matcher(expression);
    return plain.matches() && acceleratorOf(plain.group("driver")).isPresent();
  }

  /// Returns the CEL expressions of the selectors.
  static List<String> expressions(List<DeviceSelector> selectors) {
    return selectors.stream()
        .map(DeviceSelector::getCel)
        .filter(Objects::nonNull)
        .map(CELDeviceSelector::getExpression)
        .filter(Objects::nonNull)
        .toList();
  }
}

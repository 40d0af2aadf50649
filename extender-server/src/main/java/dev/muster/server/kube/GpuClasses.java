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

  /// All whole GPUs of a driver.
  private static final Pattern PLAIN =
      Pattern.compile(
          "\\s*device\\.driver\\s*==\\s*[\"'](?<driver>[^\"']*)[\"']"
              + "(\\s*&&\\s*device\\.attributes\\[[\"']\\k<driver>[\"']]\\.type\\s*==\\s*[\"'](gpu|amdgpu)[\"'])?\\s*");

  /// What a device class offers.
  sealed interface Offer {
    /// Whole GPUs.
    ///
    /// @param accelerator the resource that they count as
    /// @param selectors what must hold for them beyond being whole GPUs of the driver; absent where
    ///   it is not known whose they are
    record Whole(String accelerator, Optional<List<String>> selectors) implements Offer {
      public Whole {
        selectors = selectors.map(List::copyOf);
      }
    }

    /// Parts of GPUs: MIG slices, virtual functions.
    record Part(String type) implements Offer {}

    /// Something else.
    record Other() implements Offer {}
  }

  private final List<String> accelerators;
  private final TreeMap<String, String> acceleratorOfDriver = new TreeMap<>();

  /// @param accelerators the resource names that count as GPUs; of those of one driver the first
  ///   counts
  GpuClasses(List<String> accelerators) {
    this.accelerators = List.copyOf(accelerators);
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

  /// Whether what is requested under this name counts as GPUs as it is.
  boolean isAccelerator(String resource) {
    return accelerators.contains(resource);
  }

  /// What the class of this name offers, whose object may not be known. A class named as a driver
  /// of GPUs, as drivers make it, offers all of them that it selects.
  ///
  /// @param own the selectors of the request, which say what is meant of a class of all devices
  Optional<Offer> offer(String name, List<String> own, Optional<DeviceClass> known) {
    Optional<DeviceClassSpec> spec = known.map(DeviceClass::getSpec);
    List<String> selectors =
        spec.map(found -> expressions(found.getSelectors())).orElseGet(List::of);
    return acceleratorOf(name)
        .<Offer>map(gpus -> new Offer.Whole(gpus, Optional.of(selecting(selectors))))
        .or(() -> spec.map(found -> offer(found, selectors, own)));
  }

  /// A class of an admin's: by what it stands for, and by what its selectors say.
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
        .<Offer>map(Offer.Part::new)
        .orElseGet(
            () -> new Offer.Whole(accelerator.get(), selected.map(_ -> selecting(selectors))));
  }

  /// The type of parts of GPUs that the expressions ask for, if they do.
  static Optional<String> part(List<String> expressions) {
    Matcher type = TYPE.matcher(String.join("\n", expressions));
    return type.find() && !WHOLE.contains(type.group(1))
        ? Optional.of(type.group(1))
        : Optional.empty();
  }

  /// Those that select among the whole GPUs of a driver; most classes select just these.
  private List<String> selecting(List<String> expressions) {
    return expressions.stream().filter(expression -> !isOfWholeDriver(expression)).toList();
  }

  private boolean isOfWholeDriver(String expression) {
    Matcher plain = PLAIN.matcher(expression);
    return plain.matches() && acceleratorOf(plain.group("driver")).isPresent();
  }

  /// What the selectors say, each.
  static List<String> expressions(List<DeviceSelector> selectors) {
    return selectors.stream()
        .map(DeviceSelector::getCel)
        .filter(Objects::nonNull)
        .map(CELDeviceSelector::getExpression)
        .filter(Objects::nonNull)
        .toList();
  }
}

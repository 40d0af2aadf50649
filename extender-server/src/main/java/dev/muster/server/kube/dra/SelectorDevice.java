package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.cel.DeviceTraits;
import dev.muster.server.kube.dra.cel.QuantityValue;
import dev.muster.server.kube.dra.cel.SemanticVersion;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Converts a device to the form that selectors read. Names without a domain get the domain of the
/// driver.
final class SelectorDevice {
  private SelectorDevice() {}

  static DeviceTraits of(String driver, Device device) {
    return new DeviceTraits(
        driver,
        byDomain(driver, device.getAttributes(), SelectorDevice::value),
        byDomain(driver, device.getCapacity(), SelectorDevice::amount),
        Boolean.TRUE.equals(device.getAllowMultipleAllocations()));
  }

  private static <F, T> Map<String, Map<String, T>> byDomain(
      String driver, @Nullable Map<String, F> named, Function<F, Optional<T>> read) {
    Map<String, Map<String, T>> all = new HashMap<>();
    Objects.requireNonNullElseGet(named, Map::<String, F>of)
        .forEach((name, value) -> {
          int slash = name.indexOf('/');
          String domain = slash < 0 ? driver : name.substring(0, slash);
          read.apply(value)
              .ifPresent(found ->
                  all.computeIfAbsent(domain, _ -> new HashMap<>())
                      .put(name.substring(slash + 1), found));
        });
    return all;
  }

  private static Optional<QuantityValue> amount(DeviceCapacity capacity) {
    return Optional.ofNullable(capacity.getValue()).map(QuantityValue::of);
  }

  private static Optional<Object> value(DeviceAttribute attribute) {
    return Stream.<@Nullable Object>of(
            attribute.getString(),
            attribute.getInt(),
            attribute.getBool(),
            version(attribute.getVersion()),
            filled(attribute.getStrings()),
            filled(attribute.getInts()),
            filled(attribute.getBools()))
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static @Nullable Object version(@Nullable String text) {
    return text != null && SemanticVersion.isOne(text) ? SemanticVersion.of(text) : text;
  }

  private static @Nullable Object filled(@Nullable List<?> list) {
    return list == null || list.isEmpty() ? null : list;
  }
}

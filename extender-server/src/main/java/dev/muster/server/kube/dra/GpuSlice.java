package dev.muster.server.kube.dra;

import dev.muster.core.node.GpuModel;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.dra.cel.DeviceTraits;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCounterConsumption;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceSpec;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The whole GPUs that one ResourceSlice offers on its node.
///
/// @param node the node; [#NO_NODE] for a slice that belongs to no single node but is needed for a
///   complete pool
/// @param pool pool of the slice
/// @param generation generation of the pool; slices of earlier generations are invalid
/// @param slices number of slices of the complete pool
/// @param gpus whole GPUs of the slice
/// @param parts parts of GPUs that the slice also offers
record GpuSlice(
    String node,
    Pool pool,
    long generation,
    long slices,
    List<Gpu> gpus,
    List<SharedCounter> parts) {
  /// Placeholder for the node of a slice without one.
  static final String NO_NODE = "";

  private static final Pattern NUMBERED = Pattern.compile("gpu-(\\d{1,3})");
  private static final Set<String> SHUT = Set.of("NoSchedule", "NoExecute");

  /// A pool of devices.
  record Pool(String driver, String name) {}

  /// A device, unique in the cluster.
  record DeviceId(Pool pool, String name) {}

  /// A whole GPU.
  ///
  /// @param index number on the node, if known
  /// @param model GPU model
  /// @param open true if it may be allocated
  /// @param told all data that its driver publishes
  record Gpu(DeviceId id, Optional<Integer> index, GpuModel model, boolean open, Device told) {
    /// Returns the properties that selectors can read.
    DeviceTraits traits() {
      return SelectorDevice.of(id.pool().driver(), told);
    }

    /// True if the part may belong to this GPU. An allocated part keeps the whole GPU from others.
    /// The remaining counters are not checked, since a whole GPU takes all of them.
    boolean mayHave(SharedCounter part) {
      return part.id().pool().equals(id.pool())
          && !Collections.disjoint(part.counters(), GpuSlice.counters(told));
    }
  }

  /// A part of a GPU.
  ///
  /// @param counters counters that it shares with its GPU
  record SharedCounter(DeviceId id, Set<String> counters) {}

  GpuSlice {
    gpus = List.copyOf(gpus);
    parts = List.copyOf(parts);
  }

  /// True if the slice names its driver and its pool.
  static boolean isComplete(ResourceSlice slice) {
    ResourceSliceSpec spec = slice.getSpec();
    return spec != null
        && spec.getDriver() != null
        && spec.getPool() != null
        && spec.getPool().getName() != null;
  }

  /// Reads a complete slice. Devices without a name can be allocated to no claim.
  static GpuSlice of(ResourceSlice slice) {
    ResourceSliceSpec spec = slice.getSpec();
    Pool pool = new Pool(spec.getDriver(), spec.getPool().getName());
    return new GpuSlice(
        Objects.requireNonNullElse(spec.getNodeName(), NO_NODE),
        pool,
        Objects.requireNonNullElse(spec.getPool().getGeneration(), 0L),
        Objects.requireNonNullElse(spec.getPool().getResourceSliceCount(), 1L),
        devices(spec)
            .filter(device -> isWhole(pool, device))
            .map(device -> gpu(pool, device))
            .toList(),
        devices(spec)
            .filter(device -> !isWhole(pool, device))
            .map(
                device -> new SharedCounter(new DeviceId(pool, device.getName()), counters(device)))
            .toList());
  }

  private static Stream<Device> devices(ResourceSliceSpec spec) {
    return spec.getDevices().stream().filter(device -> device.getName() != null);
  }

  private static boolean isWhole(Pool pool, Device device) {
    String type = text(attribute(pool, device, "type"));
    return type.isEmpty() || GpuDeviceClasses.WHOLE.contains(type);
  }

  private static Set<String> counters(Device device) {
    return device.getConsumesCounters().stream()
        .map(DeviceCounterConsumption::getCounterSet)
        .collect(Collectors.toSet());
  }

  // kube-scheduler allocates a device with such a taint only to claims that tolerate it.
  private static boolean isOpen(Device device) {
    return device.getTaints().stream()
        .noneMatch(taint -> SHUT.contains(String.valueOf(taint.getEffect())));
  }

  private static Gpu gpu(Pool pool, Device device) {
    return new Gpu(
        new DeviceId(pool, device.getName()),
        index(pool, device),
        model(pool, device),
        isOpen(device),
        device);
  }

  /// Returns the GPU model. The product name is written as in a label, without blanks.
  private static GpuModel model(Pool pool, Device device) {
    String product = text(attribute(pool, device, "productName")).strip().replaceAll("\\s+", "-");
    String driver = text(attribute(pool, device, "driverVersion"));
    return new GpuModel(product, GpuModel.Kind.WHOLE, memoryMib(pool, device), driver);
  }

  /// Returns the attribute `index`, or else the number in the name that NVIDIA's driver uses.
  private static Optional<Integer> index(Pool pool, Device device) {
    DeviceAttribute said = attribute(pool, device, "index");
    if (said != null && said.getInt() != null) {
      return Optional.of(said.getInt())
          .filter(number -> number.intValue() == number)
          .map(Long::intValue);
    }
    Matcher numbered = NUMBERED.matcher(device.getName());
    return numbered.matches() ? Optional.of(Integer.valueOf(numbered.group(1))) : Optional.empty();
  }

  private static long memoryMib(Pool pool, Device device) {
    Map<String, DeviceCapacity> all = Objects.requireNonNullElseGet(device.getCapacity(), Map::of);
    DeviceCapacity memory = all.getOrDefault("memory", all.get(pool.driver + "/memory"));
    Quantity amount = memory == null ? null : memory.getValue();
    try {
      return amount == null ? 0 : Quantities.amount("memory", amount) >> 20;
    } catch (IllegalArgumentException _) {
      return 0; // unknown, as without this field
    }
  }

  private static @Nullable DeviceAttribute attribute(Pool pool, Device device, String name) {
    Map<String, DeviceAttribute> all =
        Objects.requireNonNullElseGet(device.getAttributes(), Map::of);
    return all.getOrDefault(name, all.get(pool.driver + "/" + name));
  }

  private static String text(@Nullable DeviceAttribute attribute) {
    if (attribute == null) {
      return "";
    }
    return Objects.requireNonNullElse(
        attribute.getString(), Objects.requireNonNullElse(attribute.getVersion(), ""));
  }
}

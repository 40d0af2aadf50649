package dev.muster.core.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The families of machines with known inner links. They are recognised from the labels that
/// NVIDIA's GPU Feature Discovery writes.
///
/// Figures are the vendor's, in one direction. The vendor's "600 GB/s of NVLink" counts both
/// directions.
/// - NVLink 1, 20 GB/s a link, 4 links a GPU: "NVIDIA Tesla P100" white paper (WP-08019), which
///   also shows the DGX-1's cube mesh.
/// - NVLink 2, 25 GB/s a link, 6 links a GPU: "NVIDIA Tesla V100 GPU Architecture" (WP-08608). The
///   pairs with two links in the DGX-1 with V100 are from the matrix that `nvidia-smi topo -m`
///   prints.
/// - NVSwitch, any two GPUs at the full rate of one: "NVIDIA NVSwitch" technical overview (DGX-2,
///   150 GB/s), "NVIDIA A100 Tensor Core GPU Architecture" (300 GB/s), "NVIDIA H100 Tensor Core GPU
///   Architecture" (450 GB/s, also for H200), "NVIDIA Blackwell Architecture Technical Brief" (900
///   GB/s, also for GB200).
/// - PCIe, 16 lanes at 8, 16 or 32 GT/s with 128b/130b encoding: PCI Express Base Specification 3.0
///   to 5.0. Between two sockets it is half of that: the ratio that NCCL assumes between PCIe 3 and
///   QPI (`src/graph/topo.h`, 12 to 6).
///
/// Where one product is sold in different machines, the slower one is assumed. Four A100, H100 or
/// H200 are a mesh without a switch, with a third of the links for each pair. Four P100 or V100 on
/// SXM2 are one half of the DGX-1. NVLink bridges between PCIe cards have no label and do not
/// count. The links of an NVL72 beyond the node are a topology level (`nvidia.com/gpu.clique`), not
/// part of the machine.
public enum MachineFamily {
  /// P100 on SXM2: the hybrid cube mesh of the first DGX-1.
  P100_CUBE_MESH("P100-SXM2.*", "", 8, count -> cubeMesh(count, 160_000, false)),
  /// V100 on SXM2: the hybrid cube mesh of the DGX-1, with two links between some pairs.
  V100_CUBE_MESH("V100-SXM2.*", "DGX1", 8, count -> cubeMesh(count, 200_000, true)),
  /// V100 on SXM3: DGX-2.
  V100_NVSWITCH("V100-SXM3.*", "DGX2", 16, count -> nvswitch(count, 1_200_000)),
  /// A100 on SXM4: DGX A100, HGX A100.
  A100_NVSWITCH("A100-SXM.*", "DGXA100", 8, count -> nvswitchOrMesh(count, 2_400_000)),
  /// H100 on SXM5, H200: DGX H100, DGX H200, HGX.
  HOPPER_NVSWITCH(
      "H100-80GB-HBM3.*|H100-SXM.*|H200|H200-SXM.*",
      "DGXH[12]00",
      8,
      count -> nvswitchOrMesh(count, 3_600_000)),
  /// B200: DGX B200, HGX B200.
  B200_NVSWITCH("B200.*", "DGXB200", 8, count -> nvswitch(count, 7_200_000)),
  /// GB200: a compute tray of an NVL72 or NVL36.
  GB200_NVSWITCH("GB200.*", "DGXGB200", 4, count -> nvswitch(count, 7_200_000)),
  /// Cards on PCIe 3.
  PCIE_3(
      "[VP]100-PCIE.*|P4|P40|T4|(GEFORCE-)?GTX-1080-TI",
      "",
      16,
      count -> pcie(count, 16L * 8_000 * 128 / 130)),
  /// Cards on PCIe 4.
  PCIE_4(
      "L4|L40S?|A10G?|A30|A40|A100-(.*-)?PCIE.*",
      "",
      16,
      count -> pcie(count, 16L * 16_000 * 128 / 130)),
  /// Cards on PCIe 5.
  PCIE_5("H100-PCIE.*|H[12]00-NVL", "", 16, count -> pcie(count, 16L * 32_000 * 128 / 130));

  private static final String NVIDIA = "nvidia.com/gpu.";

  private final Pattern products;
  private final Pattern machines;
  private final int full;

  @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list of immutable models
  private final List<Optional<MachineModel>> models;

  MachineFamily(String products, String machines, int full, IntFunction<List<Link>> links) {
    this.products = Pattern.compile(products);
    this.machines = Pattern.compile(machines.isEmpty() ? "(?!)" : machines + ".*");
    this.full = full;
    this.models = IntStream.rangeClosed(1, full).mapToObj(count -> model(count, links)).toList();
  }

  /// Returns the machine with this number of GPUs. It is empty for 11 to 15 GPUs, as no such
  /// machines are sold.
  private Optional<MachineModel> model(int count, IntFunction<List<Link>> family) {
    List<Link> links = count > 10 && count < 16 ? List.of() : family.apply(count);
    String title = count + " × " + name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return links.isEmpty() ? Optional.empty() : Optional.of(new MachineModel(title, count, links));
  }

  /// Returns the machine of this family with this number of GPUs, if there is one.
  public Optional<MachineModel> of(int count) {
    return count < 1 || count > full ? Optional.empty() : models.get(count - 1);
  }

  /// Returns all known machines of this family.
  public Stream<MachineModel> all() {
    return models.stream().flatMap(Optional::stream);
  }

  /// Returns the machine of a node, recognised by its labels. It is empty when the machine is not
  /// known. It is also empty when the node's GPUs are partitions or shares, as their positions are
  /// not known. A call takes some microseconds of text matching.
  ///
  /// @param labels the node's labels
  /// @param model the product of its GPUs, written as in a label; used when no label names it
  /// @param gpus number of GPUs of the node; used when no label has it
  public static Optional<MachineModel> recognise(
      Map<String, String> labels, String model, int gpus) {
    String product = labels.getOrDefault(NVIDIA + "product", model).toUpperCase(Locale.ROOT);
    if (product.contains("-MIG-") || product.endsWith("-SHARED")) {
      return Optional.empty();
    }
    String machine = labels.getOrDefault(NVIDIA + "machine", "");
    if (product.isEmpty() && machine.isEmpty()) {
      return Optional.empty();
    }
    Optional<MachineFamily> byMachine = byMachine(machine);
    Optional<MachineFamily> family = byProduct(product).or(() -> byMachine);
    int counted = count(labels).orElse(gpus);
    return family.flatMap(
        found -> found.of(byMachine.isPresent() ? byMachine.get().full : counted));
  }

  /// Returns the family that a machine label names. Labels cannot contain blanks, and their writers
  /// use different forms: `NVIDIA-DGX-A100`, `DGXA100-920`.
  private static Optional<MachineFamily> byMachine(String machine) {
    String bare =
        machine.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "").replaceFirst("^NVIDIA", "");
    return Arrays.stream(values())
        .filter(family -> family.machines.matcher(bare).matches())
        .findFirst();
  }

  private static Optional<MachineFamily> byProduct(String product) {
    String bare = product.replaceFirst("^(NVIDIA-|TESLA-)+", "");
    return Arrays.stream(values())
        .filter(family -> family.products.matcher(bare).matches())
        .findFirst();
  }

  private static Optional<Integer> count(Map<String, String> labels) {
    String count = labels.getOrDefault(NVIDIA + "count", "");
    return count.matches("[0-9]{1,4}") ? Optional.of(Integer.valueOf(count)) : Optional.empty();
  }

  private static List<Link> nvswitchOrMesh(int count, long mbps) {
    return count == 4 ? quads(4, mbps / 3) : nvswitch(count, mbps);
  }

  private static List<Link> nvswitch(int count, long mbps) {
    Vertex fabric = new Vertex.Switch("nvswitch");
    return IntStream.range(0, count)
        .mapToObj(gpu -> new Link(new Vertex.Gpu(gpu), fabric, mbps))
        .toList();
  }

  /// Returns a cube mesh: each half is fully linked, and each GPU is linked to its counterpart.
  /// Pairs without a link use PCIe.
  private static List<Link> cubeMesh(int count, long mbps, boolean twice) {
    if (count != 4 && count != 8) {
      return List.of();
    }
    List<Link> links = new ArrayList<>(pcie(count, 16L * 8_000 * 128 / 130));
    links.addAll(quads(count, mbps));
    IntStream.range(4, count).forEach(gpu -> links.add(between(gpu - 4, gpu, mbps)));
    ringOfDoubles(twice, count)
        .forEach(pair -> links.add(between(pair.getFirst(), pair.getLast(), mbps)));
    return links;
  }

  /// Returns the pairs with two links in a DGX-1 with V100: a ring of all eight GPUs. This is a
  /// method because the constants of an enum come before its static fields.
  private static List<List<Integer>> ringOfDoubles(boolean twice, int count) {
    List<Integer> ring = twice ? List.of(0, 3, 2, 1, 5, 6, 7, 4) : List.of();
    return IntStream.range(0, ring.size())
        .mapToObj(i -> List.of(ring.get(i), ring.get((i + 1) % ring.size())))
        .filter(pair -> pair.getFirst() < count && pair.getLast() < count)
        .toList();
  }

  private static List<Link> quads(int count, long mbps) {
    return IntStream.range(0, count)
        .boxed()
        .flatMap(b -> IntStream.range(b / 4 * 4, b).mapToObj(a -> between(a, b, mbps)))
        .toList();
  }

  /// Returns two sockets with half of the slots each; a single GPU has one slot.
  private static List<Link> pcie(int count, long mbps) {
    List<Link> links = new ArrayList<>();
    links.add(new Link(socket(0), socket(1), mbps / 2));
    for (int gpu = 0; gpu < count; gpu++) {
      links.add(new Link(new Vertex.Gpu(gpu), socket(gpu < (count + 1) / 2 ? 0 : 1), mbps));
    }
    return links;
  }

  private static Vertex socket(int number) {
    return new Vertex.Switch("socket-" + number);
  }

  private static Link between(int a, int b, long mbps) {
    return new Link(new Vertex.Gpu(a), new Vertex.Gpu(b), mbps);
  }
}

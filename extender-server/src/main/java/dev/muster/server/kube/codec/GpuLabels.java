package dev.muster.server.kube.codec;

import dev.muster.core.gang.Resources;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.GpuModel.Kind;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads the GPU model and sharing of a node from its labels.
///
/// Supported are the labels of NVIDIA's GPU Feature Discovery, AMD's node labeller, GKE, Karpenter
/// and EKS Auto Mode. AKS itself states the vendor only.
final class GpuLabels {
  private static final Pattern AMOUNT = Pattern.compile("(\\d{1,12})(Ki|Mi|Gi|Ti|M|G|T)?");
  private static final String NVIDIA = "nvidia.com/";
  private static final String AMD = "amd.com/gpu.";
  private static final String GKE = "cloud.google.com/gke-";
  private static final String KARPENTER = "karpenter.k8s.aws/instance-gpu-";
  private static final String EKS = "eks.amazonaws.com/instance-gpu-";
  private static final String AZURE = "karpenter.azure.com/sku-gpu-";

  /// Label set by admins for Cluster Autoscaler. Its value is often, but not always, the model.
  private static final String AWS = "k8s.amazonaws.com/accelerator";

  private GpuLabels() {}

  static GpuModel model(
      Map<String, String> labels, Resources allocatable, List<String> accelerators) {
    String product = product(labels);
    String memory =
        first(labels, NVIDIA + "gpu.memory", AMD + "vram", KARPENTER + "memory", EKS + "memory");
    Kind kind = kind(labels, product, offered(allocatable, accelerators));
    GpuModel model = new GpuModel(product, kind, mebibytes(memory), driver(labels));
    return model.equals(GpuModel.UNKNOWN) ? GpuModel.UNKNOWN : model;
  }

  private static String product(Map<String, String> labels) {
    String product =
        first(
            labels,
            NVIDIA + "gpu.product",
            AMD + "product-name",
            GKE + "accelerator",
            KARPENTER + "name",
            EKS + "name",
            AZURE + "name");
    String written = labels.getOrDefault(AWS, "");
    boolean isModel = written.chars().anyMatch(Character::isDigit);
    return product.isEmpty() && isModel ? written : product;
  }

  private static List<String> offered(Resources allocatable, List<String> accelerators) {
    return accelerators.stream().filter(name -> allocatable.get(name) > 0).toList();
  }

  // A time-shared slice is smaller than a slice, so it counts as shared. Slices offered beside GPUs
  // have their own resource name, so the GPU resource then means whole GPUs.
  private static Kind kind(Map<String, String> labels, String product, List<String> offered) {
    String strategy = labels.getOrDefault(NVIDIA + "gpu.sharing-strategy", "");
    if (strategy.equals("time-slicing")
        || strategy.equals("mps")
        || labels.containsKey(GKE + "gpu-sharing-strategy")
        || mebibytes(first(labels, NVIDIA + "gpu.replicas", GKE + "max-shared-clients-per-gpu")) > 1
        || product.endsWith("-SHARED")
        || offered.stream().anyMatch(name -> name.endsWith(".shared"))) {
      return Kind.SHARED;
    }
    boolean single = labels.getOrDefault(NVIDIA + "mig.strategy", "").equals("single");
    boolean slices =
        !offered.isEmpty() && offered.stream().allMatch(name -> name.startsWith(NVIDIA + "mig-"));
    return slices
            || (single && product.contains("-MIG-"))
            || labels.containsKey(GKE + "gpu-partition-size")
        ? Kind.SLICE
        : Kind.WHOLE;
  }

  private static String driver(Map<String, String> labels) {
    String whole = first(labels, NVIDIA + "cuda.driver-version.full", AMD + "driver-version");
    return whole.isEmpty() ? joined(labels, "major", "minor", "rev") : whole;
  }

  private static String joined(Map<String, String> labels, String... parts) {
    return Stream.of(parts)
        .map(part -> labels.getOrDefault(NVIDIA + "cuda.driver." + part, ""))
        .filter(value -> !value.isEmpty())
        .collect(Collectors.joining("."));
  }

  /// Parses a memory label into MiB, 0 if it is neither form. NVIDIA writes MiB without a unit, AMD
  /// whole GiB such as `192G`.
  static long mebibytes(String text) {
    Matcher amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      return 0;
    }
    long number = Long.parseLong(amount.group(1));
    return switch (amount.group(2) == null ? "" : amount.group(2)) {
      case "G", "Gi" -> number << 10;
      case "T", "Ti" -> number << 20;
      case "Ki" -> number >> 10;
      default -> number;
    };
  }

  private static String first(Map<String, String> labels, String... keys) {
    return Stream.of(keys)
        .filter(labels::containsKey)
        .findFirst()
        .map(key -> labels.getOrDefault(key, ""))
        .orElse("");
  }
}

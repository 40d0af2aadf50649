package dev.muster.server.kube.client;

import dev.muster.core.gang.Resources;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Converts Kubernetes quantities to integers: `cpu` in thousandths, all others in their own unit,
/// rounded up as in kube-scheduler.
public final class Quantities {
  /// Maximum amount (128 TiB of memory). Larger amounts are cut to it, so that no sum over 65,535
  /// pods of a node overflows.
  public static final long MOST = 1L << 47;

  /// Maximum GPUs of a node. The largest machines have some dozens, and device plugins that share
  /// GPUs offer some hundreds. A count of GPUs over two million pods fits an `int`, and etcd cannot
  /// store as many.
  public static final int NODE_GPUS = 1_024;

  private static final BigDecimal MOST_DECIMAL = BigDecimal.valueOf(MOST);

  private Quantities() {}

  public static Map<String, Long> amounts(@Nullable Map<String, Quantity> quantities) {
    Map<String, Long> amounts = new TreeMap<>();
    if (quantities != null) {
      quantities.forEach((name, quantity) -> amounts.put(name, amount(name, quantity)));
    }
    return amounts;
  }

  public static long amount(String name, Quantity quantity) {
    BigDecimal value = value(name, quantity);
    BigDecimal units = name.equals(Resources.CPU) ? value.scaleByPowerOfTen(3) : value;
    if (units.signum() <= 0) {
      return 0;
    }
    if (units.compareTo(BigDecimal.ONE) < 0) {
      return 1;
    }
    return units.compareTo(MOST_DECIMAL) >= 0
        ? MOST
        : units.setScale(0, RoundingMode.CEILING).longValueExact();
  }

  private static BigDecimal value(String name, Quantity quantity) {
    try {
      return quantity.getNumericalAmount();
    } catch (IllegalArgumentException | ArithmeticException _) {
      throw new IllegalArgumentException(
          "The amount of %s is (%s); it must be a Kubernetes quantity such as 8, 500m or 16Gi."
              .formatted(name, quantity));
    }
  }

  /// Returns these amounts, each at most [#MOST]. A sum over containers and claims may be larger.
  public static Resources cut(Resources sum) {
    SortedMap<String, Long> amounts = sum.asMap();
    amounts.replaceAll((_, amount) -> Math.min(amount, MOST));
    return Resources.of(amounts);
  }

  /// Returns the GPUs of a node with these resources, at most [#NODE_GPUS].
  public static int nodeGpus(Resources resources, Iterable<String> accelerators) {
    return (int) Math.min(NODE_GPUS, count(resources, accelerators));
  }

  /// Returns the GPUs of a pod with these resources, at most one more than any node has.
  public static int podGpus(Resources resources, Iterable<String> accelerators) {
    return (int) Math.min(NODE_GPUS + 1, count(resources, accelerators));
  }

  /// Returns the total count of the named accelerators among the resources, at least 0.
  public static long count(Resources resources, Iterable<String> accelerators) {
    Resources gpus = Resources.NONE;
    for (String accelerator : accelerators) {
      gpus = gpus.plus(Resources.of("gpus", resources.get(accelerator)));
    }
    return Math.max(0, gpus.get("gpus"));
  }
}

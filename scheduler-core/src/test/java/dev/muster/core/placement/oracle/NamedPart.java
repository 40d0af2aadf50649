package dev.muster.core.placement.oracle;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The part of a request that a sentence names.
final class NamedPart {
  /// Names the whole request.
  static final String ALL = "everything";

  private NamedPart() {}

  /// Returns the request with only these amounts: `3 GPUs and 60 cpu`.
  static Request of(Request kind, String amounts) {
    if (amounts.equals(ALL)) {
      return kind;
    }
    List<String> named = List.of(amounts.split(" and "));
    boolean gpus = named.stream().anyMatch(each -> each.matches("\\d+ GPUs?"));
    boolean milli = named.stream().anyMatch(each -> each.endsWith("thousandths of a GPU"));
    Map<String, Long> resources = new TreeMap<>();
    kind.resources()
        .asMap()
        .forEach((name, amount) -> {
          if ((gpus && name.contains("gpu")) || named.contains(ReasonText.amount(name, amount))) {
            resources.put(name, amount);
          }
        });
    return new Request(
        Resources.of(resources),
        gpus ? kind.gpus() : 0,
        milli ? kind.gpuMilli() : 0,
        kind.selection(),
        kind.onePerNode());
  }
}

package dev.muster.core.admission;

import dev.muster.core.gang.GpuModelPreference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A number of GPUs of all models together, and numbers for some models.
///
/// @param gpus GPUs of all models; absent for no number
/// @param models GPUs by model as users name it, `H100`. A name covers every model that a gang
///   asking for it would accept ([GpuModelPreference]).
public record Quota(Optional<Integer> gpus, SortedMap<String, Integer> models) {
  /// The quota without any number.
  public static final Quota NONE = new Quota(Optional.empty(), new TreeMap<>());

  public Quota {
    models = Collections.unmodifiableSortedMap(new TreeMap<>(models));
    gpus.ifPresent(count -> check("gpus", count));
    models.forEach(Quota::check);
  }

  private static void check(String what, int count) {
    if (count < 0) {
      throw new IllegalArgumentException(
          "A quota has %s: %d; it must be 0 or more. Omit it for no limit.".formatted(what, count));
    }
  }

  /// Returns a quota of GPUs of any model.
  public static Quota of(int gpus) {
    return new Quota(Optional.of(gpus), new TreeMap<>());
  }

  /// Returns this quota with a number for one model.
  public Quota with(String model, int count) {
    TreeMap<String, Integer> more = new TreeMap<>(models);
    more.put(model, count);
    return new Quota(gpus, more);
  }

  /// An amount is one number of a quota.
  ///
  /// @param said GPU model as configured; empty for all models
  /// @param gpus the number
  public record Amount(String said, int gpus) {
    /// True if GPUs of this model count.
    public boolean counts(String model) {
      return said.isEmpty() || means(said, model);
    }
  }

  /// Returns the numbers of this quota: that of all models first, if there is one.
  public List<Amount> amounts() {
    List<Amount> amounts = new ArrayList<>();
    gpus.ifPresent(count -> amounts.add(new Amount("", count)));
    models.forEach((said, count) -> amounts.add(new Amount(said, count)));
    return amounts;
  }

  public boolean isNone() {
    return gpus.isEmpty() && models.isEmpty();
  }

  /// True if a model name of a quota covers the model of a node.
  public static boolean means(String said, String model) {
    return new GpuModelPreference(List.of(said), false).accepts(model);
  }
}

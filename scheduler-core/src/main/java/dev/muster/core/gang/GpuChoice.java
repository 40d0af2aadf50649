package dev.muster.core.gang;

import java.util.List;

/// Which GPU models will do. A gang gets one model for all its members unless it says that a mix
/// will do.
///
/// @param models the models that will do, most wanted first; none listed: any model will do
/// @param mixed whether members may get different models
public record GpuChoice(List<String> models, boolean mixed) {
  /// Any model, the same for all members.
  public static final GpuChoice ANY = new GpuChoice(List.of(), false);

  public GpuChoice {
    models = List.copyOf(models);
  }

  /// Whether the model will do.
  public boolean accepts(String model) {
    return models.isEmpty() || models.contains(model);
  }

  /// How much the model is wanted: 0 most; all alike where none is listed.
  public int rank(String model) {
    return Math.max(0, models.indexOf(model));
  }
}

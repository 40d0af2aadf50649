package dev.muster.core.gang;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The GPU models that a gang accepts. A gang gets one model for all its members unless it accepts
/// a mix.
///
/// Users write `H100`, nodes have `NVIDIA-H100-80GB-HBM3` or `AMD_Instinct_MI300X_OAM`. A requested
/// name matches every model that contains its words consecutively. Hyphens and underscores separate
/// words; upper and lower case are equal. So `P4` matches `Tesla-P4` but not `Tesla-P40`, and
/// `H100-80GB` matches only the models with 80 GB.
///
/// @param models accepted models, most preferred first; empty: every model
/// @param mixed true if members may get different models
/// @param except models, by full name, that are excluded for now although requested, as the queue's
///   quota allows no more of them; users cannot set this
public record GpuModelPreference(
    List<String> models, boolean mixed, Optional<SortedSet<String>> except) {
  /// Any model, but one model for all members.
  public static final GpuModelPreference ANY = new GpuModelPreference(List.of(), false);

  public GpuModelPreference {
    models = List.copyOf(models);
    except = except.map(names -> Collections.unmodifiableSortedSet(new TreeSet<>(names)));
  }

  /// Creates a choice without excluded models.
  public GpuModelPreference(List<String> models, boolean mixed) {
    this(models, mixed, Optional.empty());
  }

  /// Returns this choice, completed by the other where this one leaves a part open.
  public GpuModelPreference or(GpuModelPreference other) {
    if (other.equals(ANY)) {
      return this; // the common case
    }
    return new GpuModelPreference(
        models.isEmpty() ? other.models : models,
        mixed || other.mixed,
        except.isPresent() ? except : other.except);
  }

  /// Returns a copy that excludes these models.
  public GpuModelPreference without(SortedSet<String> fullNames) {
    return fullNames.isEmpty()
        ? this
        : new GpuModelPreference(models, mixed, Optional.of(fullNames));
  }

  /// True if the gang accepts the model.
  public boolean accepts(String model) {
    return (except.isEmpty() || !except.get().contains(model))
        && (models.isEmpty() || indexOf(model) >= 0);
  }

  /// Returns the preference for the model: 0 is the highest; 0 for all models when none is listed.
  public int rank(String model) {
    return Math.max(0, indexOf(model));
  }

  private int indexOf(String model) {
    for (int i = 0; i < models.size(); i++) {
      if (contains(model, models.get(i))) {
        return i;
      }
    }
    return -1;
  }

  /// True if the model contains the words of the name consecutively. It is called for each node and
  /// therefore allocates no strings.
  private static boolean contains(String model, String name) {
    for (int from = 0; from + name.length() <= model.length(); from++) {
      if (isEdge(model, from - 1)
          && isEdge(model, from + name.length())
          && isSame(model, from, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isEdge(String model, int at) {
    return at < 0 || at == model.length() || folded(model.charAt(at)) == '-';
  }

  private static boolean isSame(String model, int from, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (folded(model.charAt(from + i)) != folded(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static char folded(char letter) {
    return letter == ' ' || letter == '_' ? '-' : Character.toLowerCase(letter);
  }
}

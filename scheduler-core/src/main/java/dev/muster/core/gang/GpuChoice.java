package dev.muster.core.gang;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// Which GPU models will do. A gang gets one model for all its members unless it says that a mix
/// will do.
///
/// People say `H100`, nodes say `NVIDIA-H100-80GB-HBM3` or `AMD_Instinct_MI300X_OAM`: a name asked
/// for means every model whose words, set apart by hyphens or underscores, contain its words in a
/// row, in any case of letters. So `P4` means `Tesla-P4` but not `Tesla-P40`, and `H100-80GB` only
/// the models with 80 GB.
///
/// @param models the models that will do, most wanted first; none listed: any model will do
/// @param mixed whether members may get different models
/// @param except models, by their full names, that will not do for now although they were asked
///   for: somebody else has the say on them. Nobody can wish this
public record GpuChoice(List<String> models, boolean mixed, Optional<SortedSet<String>> except) {
  /// Any model, the same for all members.
  public static final GpuChoice ANY = new GpuChoice(List.of(), false);

  public GpuChoice {
    models = List.copyOf(models);
    except = except.map(names -> Collections.unmodifiableSortedSet(new TreeSet<>(names)));
  }

  /// A wish.
  public GpuChoice(List<String> models, boolean mixed) {
    this(models, mixed, Optional.empty());
  }

  /// This wish, and what the other says where this says nothing.
  public GpuChoice or(GpuChoice other) {
    if (other.equals(ANY)) {
      return this; // as nearly always
    }
    return new GpuChoice(
        models.isEmpty() ? other.models : models,
        mixed || other.mixed,
        except.isPresent() ? except : other.except);
  }

  /// The same wish without these models.
  public GpuChoice without(SortedSet<String> fullNames) {
    return fullNames.isEmpty() ? this : new GpuChoice(models, mixed, Optional.of(fullNames));
  }

  /// Whether the model will do.
  public boolean accepts(String model) {
    return (except.isEmpty() || !except.get().contains(model))
        && (models.isEmpty() || indexOf(model) >= 0);
  }

  /// How much the model is wanted: 0 most; all alike where none is listed.
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

  /// Whether the words of the name are among those of the model, in a row. Asked for each node, so
  /// that no text is made for it.
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

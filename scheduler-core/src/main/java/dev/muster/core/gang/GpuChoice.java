package dev.muster.core.gang;

import java.util.List;

/// Which GPU models will do. A gang gets one model for all its members unless it says that a mix
/// will do.
///
/// People say `H100`, nodes say `NVIDIA-H100-80GB-HBM3`: a name asked for means every model whose
/// words, set apart by hyphens, contain its words in a row, in any case of letters. So `P4` means
/// `Tesla-P4` but not `Tesla-P40`, and `H100-80GB` only the models with 80 GB.
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
    return models.isEmpty() || indexOf(model) >= 0;
  }

  /// How much the model is wanted: 0 most; all alike where none is listed.
  public int rank(String model) {
    return Math.max(0, indexOf(model));
  }

  private int indexOf(String model) {
    for (int i = 0; i < models.size(); i++) {
      if (means(models.get(i), model)) {
        return i;
      }
    }
    return -1;
  }

  // Letter by letter, since every search asks this of every node.
  private static boolean means(String name, String model) {
    for (int at = 0; at + name.length() <= model.length(); at++) {
      if (isEdge(model, at - 1) && isEdge(model, at + name.length()) && reads(name, model, at)) {
        return true;
      }
    }
    return false;
  }

  private static boolean reads(String name, String model, int at) {
    int length = 0;
    while (length < name.length() && isSame(name.charAt(length), model.charAt(at + length))) {
      length++;
    }
    return length == name.length();
  }

  private static boolean isSame(char a, char b) {
    return Character.toLowerCase(a) == Character.toLowerCase(b) || (isHyphen(a) && isHyphen(b));
  }

  private static boolean isEdge(String model, int at) {
    return at < 0 || at == model.length() || isHyphen(model.charAt(at));
  }

  private static boolean isHyphen(char letter) {
    return letter == '-' || letter == ' ';
  }
}

package dev.muster.core.cluster;

import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import java.util.List;

/// The parts of a member's request that decide whether capacity left on a node is usable for it.
///
/// @param gpus whole GPUs
/// @param gpuMilli thousandths of one more GPU, 0 to 999
/// @param cpu thousandths of a core
/// @param memory bytes
/// @param models GPU models that its gang accepts; empty for any, or for a member without GPUs
public record RequestShape(int gpus, int gpuMilli, long cpu, long memory, List<String> models)
    implements Comparable<RequestShape> {
  public RequestShape {
    models = List.copyOf(models);
  }

  /// Returns a shape of whole GPUs of any model, without other resources.
  public static RequestShape ofGpus(int gpus) {
    return new RequestShape(gpus, 0, 0, 0, List.of());
  }

  /// Returns the member's shape. Its gang's object need not have been seen.
  static RequestShape of(Member member, Gang gang) {
    Request request = member.request();
    return new RequestShape(
        request.gpus(),
        request.gpuMilli(),
        request.resources().get(Resources.CPU),
        request.resources().get(Resources.MEMORY),
        request.wantsGpu() ? choice(member, gang).models() : List.of());
  }

  private static GpuModelPreference choice(Member member, Gang gang) {
    return models(gang).or(member.wishes().gpus());
  }

  /// Returns the models that the gang's object asks for. Nothing else of a gang affects shapes.
  static GpuModelPreference models(Gang gang) {
    return gang.spec().isPresent() ? gang.spec().get().wishes().gpus() : GpuModelPreference.ANY;
  }

  /// True if nodes of this model are accepted.
  public boolean accepts(String model) {
    return new GpuModelPreference(models, false).accepts(model);
  }

  @Override
  public int compareTo(RequestShape other) {
    int side = Integer.compare(gpus, other.gpus);
    side = side == 0 ? Integer.compare(gpuMilli, other.gpuMilli) : side;
    side = side == 0 ? Long.compare(cpu, other.cpu) : side;
    side = side == 0 ? Long.compare(memory, other.memory) : side;
    return side != 0 || models.equals(other.models)
        ? side
        : String.join("\n", models).compareTo(String.join("\n", other.models));
  }
}

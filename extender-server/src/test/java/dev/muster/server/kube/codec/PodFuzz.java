package dev.muster.server.kube.codec;

import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectTrimmer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Fuzz target: a pod as the API server could send it. A problem of the pod is a sentence about it.
public final class PodFuzz {
  private static final KubernetesSerialization READER = ObjectTrimmer.serialization();

  private PodFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    Pod pod = parsed(input, Pod.class);
    if (pod != null
        && pod.getSpec() != null
        && isNamed(pod)
        && PodCodecScene.CODEC.read(pod) instanceof PodFact.Unreadable unreadable) {
      checkSentence(unreadable.problem().message());
    }
  }

  /// True if the object has what the API server always fills in.
  static boolean isNamed(HasMetadata object) {
    return object.getMetadata() != null
        && object.getMetadata().getNamespace() != null
        && object.getMetadata().getName() != null
        && object.getMetadata().getUid() != null
        && object.getMetadata().getCreationTimestamp() != null;
  }

  /// Returns the object of this type; null if the text is none, which is what the client refuses.
  static <T> @Nullable T parsed(byte[] input, Class<T> type) {
    try {
      return READER.unmarshal(new String(input, StandardCharsets.UTF_8), type);
    } catch (RuntimeException _) {
      return null;
    }
  }

  /// Fails if the problem is no refusal, but an exception that nobody expected.
  static void checkSentence(String problem) {
    if (problem.contains(ObjectProblem.UNFORESEEN)) {
      throw new IllegalStateException(problem);
    }
  }
}

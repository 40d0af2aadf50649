package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.muster.core.gang.MemberId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A path names the object that it is for, or none.
class ResourcePathsTest {
  @Test
  void paths_have_the_names_of_the_object() {
    assertThat(ResourcePaths.of(new MemberId("ml", "train-0.a", "u0")))
        .isEqualTo("/api/v1/namespaces/ml/pods/train-0.a");
    assertThat(ResourcePaths.of(new ObjectRef("x.io/v1", "PodGroup", "ml", "train", "g1")))
        .isEqualTo("/apis/x.io/v1/namespaces/ml/podgroups/train");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "a?b", "a#b", "a%2Fb", "a b", "a\n", "-a", "ä"})
  void text_that_could_alter_a_path_is_refused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ResourcePaths.of(new MemberId(text, "train-0", "u0")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ResourcePaths.of(new MemberId("ml", text, "u0")));
  }

  @Test
  void names_have_the_lengths_of_kubernetes() {
    assertThat(ResourcePaths.isNamespace("n".repeat(63))).isTrue();
    assertThat(ResourcePaths.isNamespace("n".repeat(64))).isFalse();
    assertThat(ResourcePaths.name("n".repeat(253))).hasSize(253);
    assertThatIllegalArgumentException().isThrownBy(() -> ResourcePaths.name("n".repeat(254)));
  }
}

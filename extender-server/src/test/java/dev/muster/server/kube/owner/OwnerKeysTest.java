package dev.muster.server.kube.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.OwnerEntry;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each kind lists the labels that it reads of a pod, so that a reduced pod keeps them.
class OwnerKeysTest {
  /// Labels that all exist, and remember which were read.
  private static final class AnyLabels extends HashMap<String, String> {
    private static final long serialVersionUID = 1;

    private final String value;
    private final TreeSet<String> read = new TreeSet<>();

    AnyLabels(String value) {
      this.value = value;
    }

    @Override
    public String getOrDefault(Object key, String absent) {
      read.add(String.valueOf(key));
      return value;
    }
  }

  static List<OwnerKind> kinds() {
    return OwnerKinds.with(
            List.of(
                new OwnerEntry(
                    "example.com/v1",
                    "Simulation",
                    "simulations",
                    "example.com/sim",
                    Optional.empty(),
                    Optional.of("example.com/size"))))
        .kinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void keys_are_those_that_are_read(OwnerKind kind) {
    Set<String> read = new TreeSet<>();
    for (String value : List.of("", "1", "true", "head", "worker")) {
      for (String controller : List.of(kind.api().kind(), "Job", "StatefulSet")) {
        AnyLabels labels = new AnyLabels(value);
        kind.role(new OwnedPod("ml", labels, Map.of(), controller, "c", "u"));
        read.addAll(labels.read);
      }
    }

    assertThat(read).isNotEmpty();
    assertThat(kind.keys()).containsAll(read);
  }
}

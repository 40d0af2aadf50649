package dev.muster.server.kube.budget;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Large objects of all namespaces together take a bounded part of the heap.
class LargeObjectsTest {
  private static final int MIB = 1 << 20;

  private final LargeObjects objects = new LargeObjects(12 * MIB, LargeObjects.SMALL);

  /// Returns a pod that counts so many bytes, and some hundred less.
  private static Pod pod(String namespace, int bytes) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName("p")
        .addToAnnotations("muster.dev/x", "x".repeat(bytes + LargeObjects.SMALL - 400))
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .build();
  }

  /// Returns how many of 20 pods of 1 MiB each are taken.
  private long taken(String namespace) {
    return IntStream.range(0, 20)
        .filter(i -> objects.takes(namespace + "/" + i, pod(namespace, MIB)))
        .count();
  }

  @Test
  void namespace_takes_as_much_as_stays_free() {
    assertThat(taken("a")).isEqualTo(6);
    assertThat(taken("b")).isEqualTo(3);
  }

  @Test
  void sum_of_many_namespaces_is_bounded() {
    assertThat(IntStream.range(0, 50).mapToLong(i -> taken("n" + i)).sum()).isLessThanOrEqualTo(12);
  }

  @Test
  void small_object_always_has_space() {
    taken("a");
    assertThat(objects.takes("a/small", pod("a", 0))).isTrue();
  }

  @Test
  void deleted_object_leaves_its_space_to_others() {
    taken("a");
    objects.remove("a/0");
    assertThat(objects.takes("a/new", pod("a", MIB))).isTrue();
  }

  @Test
  void object_counts_once_however_often_it_changes() {
    for (int i = 0; i < 20; i++) {
      assertThat(objects.takes("a/0", pod("a", MIB))).isTrue();
    }
  }

  /// Others that came later have left less for this namespace.
  @Test
  void object_keeps_its_space_unless_it_grows() {
    taken("a");
    taken("b");
    assertThat(objects.takes("a/0", pod("a", MIB))).isTrue();
    assertThat(objects.takes("a/0", pod("a", 2 * MIB))).isFalse();
  }

  /// Kubernetes writes conditions and the node.
  @Test
  void object_keeps_its_space_when_it_grows_a_little() {
    taken("a");
    taken("b");
    assertThat(objects.takes("a/0", pod("a", MIB + LargeObjects.GROWTH / 2))).isTrue();
    assertThat(objects.takes("a/0", pod("a", MIB + LargeObjects.GROWTH))).isTrue();
    assertThat(objects.takes("a/0", pod("a", MIB + 2 * LargeObjects.GROWTH))).isFalse();
  }

  /// What was read of it before stays in force, so it still takes memory.
  @Test
  void object_that_grows_too_much_counts_as_before() {
    taken("a");
    objects.takes("a/0", pod("a", 4 * MIB));
    assertThat(objects.takes("a/new", pod("a", MIB))).isFalse();
    assertThat(objects.takes("a/0", pod("a", MIB))).isTrue();
  }

  /// Returns a PodGroup with a record of so many bytes.
  private static Pod recording(int bytes) {
    Pod group = pod("a", 0);
    group
        .getMetadata()
        .setAnnotations(
            new HashMap<>(Map.of("muster.dev/reservation", "x".repeat(bytes), "muster.dev/x", "")));
    return group;
  }

  @Test
  void records_need_no_space_of_other_objects() {
    LargeObjects full = LargeObjects.withoutRecords(0);
    assertThat(full.takes("a/0", recording(MIB))).isTrue();
    assertThat(full.takes("a/1", pod("a", MIB))).isFalse();
  }

  @Test
  void records_are_bounded_apart_from_other_annotations() {
    LargeObjects records = LargeObjects.ofRecords(3 * MIB);
    assertThat(records.takes("a/0", pod("a", 9 * MIB))).isTrue();
    assertThat(records.takes("a/1", recording(MIB))).isTrue();
    assertThat(records.takes("a/2", recording(MIB))).isFalse();
  }

  @Test
  void object_without_space_is_an_excess_that_names_namespace_sum_and_limit() {
    taken("a");
    Pod refused = pod("a", MIB);
    objects.takes("a/new", refused);
    assertThat(ObjectBudget.excess(refused).orElse(""))
        .startsWith(
            "The large objects of namespace a take 5 MiB of Muster's memory; the limit is 6 MiB now, and this one needs 1023 KiB. Shorten");
  }
}

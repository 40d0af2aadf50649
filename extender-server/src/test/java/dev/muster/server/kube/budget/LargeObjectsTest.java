package dev.muster.server.kube.budget;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Large objects of all namespaces together take a bounded part of the heap.
class LargeObjectsTest {
  private static final int MIB = 1 << 20;
  private static final long ENOUGH = 1L << 40;

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

  /// Others may have taken it meanwhile. Many objects could otherwise share one space in turn, and
  /// then grow all at once.
  @Test
  void object_that_shrinks_gives_its_space_away() {
    objects.takes("a/0", pod("a", 6 * MIB));
    objects.takes("a/0", pod("a", MIB));
    objects.takes("a/1", pod("a", 5 * MIB));
    assertThat(objects.takes("a/0", pod("a", 6 * MIB))).isFalse();
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
    Pod other = pod("a", 9 * MIB);
    records.takes("a/0", other);
    assertThat(other.getMetadata().getAnnotations()).containsOnlyKeys("muster.dev/x");
    assertThat(records.bytes()).isZero();
  }

  /// Others may have filled the space by forged records, so the owner could not follow a remedy.
  @Test
  void object_whose_records_have_no_space_is_valid_without_them() {
    LargeObjects records = LargeObjects.ofRecords(3 * MIB);
    Pod first = recording(MIB);
    Pod second = recording(MIB);
    assertThat(records.takes("a/0", first)).isTrue();
    assertThat(records.takes("a/1", second)).isTrue();
    assertThat(first.getMetadata().getAnnotations()).containsKey("muster.dev/reservation");
    assertThat(second.getMetadata().getAnnotations()).containsOnlyKeys("muster.dev/x");
    assertThat(ObjectBudget.excess(second)).isEmpty();
  }

  /// Whatever comes, grows, finds no space and goes.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void counted_bytes_are_those_of_kept_objects(long seed) {
    Random random = new Random(seed);
    LargeObjects plain = LargeObjects.withoutRecords(4 * MIB);
    LargeObjects records = LargeObjects.ofRecords(2 * MIB);
    Map<String, Long> plainKept = new HashMap<>();
    Map<String, Long> recordsKept = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      String key = "n" + random.nextInt(3) + "/" + random.nextInt(4);
      if (random.nextInt(4) == 0) {
        plain.remove(key);
        records.remove(key);
        plainKept.remove(key);
        recordsKept.remove(key);
      } else {
        Pod group = pod(key.substring(0, 2), random.nextInt(4) * MIB / 2);
        String record = "x".repeat(random.nextInt(4) * MIB / 4);
        group.getMetadata().getAnnotations().put("muster.dev/reservation", record);
        if (plain.takes(key, group)) {
          plainKept.put(key, counted(LargeObjects.withoutRecords(ENOUGH), group));
          records.takes(key, group);
          recordsKept.put(key, counted(LargeObjects.ofRecords(ENOUGH), group));
        }
      }
      assertThat(plain.bytes()).isEqualTo(sum(plainKept)).isLessThanOrEqualTo(4 * MIB);
      assertThat(records.bytes()).isEqualTo(sum(recordsKept)).isLessThanOrEqualTo(2 * MIB);
    }
  }

  private static long counted(LargeObjects space, Pod object) {
    space.takes("", object);
    return space.bytes();
  }

  private static long sum(Map<String, Long> kept) {
    return kept.values().stream().mapToLong(bytes -> bytes).sum();
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

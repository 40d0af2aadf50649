package dev.muster.server.kube.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.Victim;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.VictimsRecord;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Records are kept as far as they can be true, and read no more often than needed.
class GangRecordsTest {
  private static final String KEY = "ml/train";
  private static final GangId GANG = new GangId("ml", Origin.POD_GROUP, "train");
  private static final GangId VICTIM = new GangId("ml", Origin.POD_GROUP, "low");

  private final Set<MemberId> members = new HashSet<>();
  private boolean notified = true;
  private int questions;

  private final GangRecords records =
      new GangRecords(
          new RecordFacts() {
            @Override
            public boolean isMember(GangId gang, MemberId pod) {
              questions++;
              return members.contains(pod);
            }

            @Override
            public boolean isNotified(GangId victim, GangId by) {
              return notified && victim.equals(VICTIM) && by.equals(GANG);
            }
          });

  private static GenericKubernetesResource group(String uid, String annotation, String text) {
    return new GenericKubernetesResourceBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("train")
        .withUid(uid)
        .withAnnotations(Map.of(annotation, text))
        .endMetadata()
        .build();
  }

  private static MemberId pod(int index) {
    return new MemberId("ml", "pod-%05d".formatted(index), "u" + index);
  }

  private static String promises(int pods) {
    return IntStream.range(0, pods)
        .mapToObj(
            i -> "\"%s\":{\"uid\":\"%s\",\"node\":\"n\"}".formatted(pod(i).name(), pod(i).uid()))
        .collect(Collectors.joining(",", "{\"version\":1,\"members\":{", "}}"));
  }

  private static String victims(int pods) {
    SortedKeys<MemberId> all =
        SortedKeys.of(IntStream.range(0, pods).mapToObj(GangRecordsTest::pod).toList());
    SortedTable<GangId, Victim> none = SortedTable.empty();
    return VictimsRecord.text(none.with(VICTIM, new Victim(VICTIM, all, "rule", 7)));
  }

  private GangSpec read(String uid, String annotation, String text) {
    GangSpec spec = GangSpec.of(GANG, 1, "ml", Instant.EPOCH);
    return records.ofGroup(KEY, group(uid, annotation, text), spec);
  }

  private SortedTable<MemberId, ?> reserved(String text) {
    return read("g1", WellKnownNames.RESERVATION, text).recorded();
  }

  private SortedTable<GangId, Victim> victims(String uid, String text) {
    return read(uid, WellKnownNames.VICTIMS, text).preemption().victims();
  }

  private SortedTable<GangId, Victim> victimsAfterRestart(String text) {
    records.recover(() -> victims("g1", text));
    return victims("g1", text);
  }

  @Test
  void no_record_is_read_before_all_objects_were_listed() {
    assertThat(reserved(promises(3)).isEmpty()).isTrue();
    assertThat(victims("g1", victims(3)).isEmpty()).isTrue();
    assertThat(questions).isZero();
  }

  @Test
  void promises_of_existing_members_are_kept() {
    records.recover(() -> {});
    IntStream.range(0, 5_000).mapToObj(GangRecordsTest::pod).forEach(members::add);

    assertThat(reserved(promises(5_000)).size()).isEqualTo(5_000);
  }

  @Test
  void promises_of_other_pods_are_not_kept() {
    records.recover(() -> {});
    members.add(pod(7));

    assertThat(reserved(promises(5_000)).keys()).containsExactly(pod(7));
  }

  /// The engine removes a record that it knows of.
  @Test
  void record_without_any_member_still_counts_as_one() {
    records.recover(() -> {});

    assertThat(reserved(promises(5_000)).size()).isEqualTo(1);
  }

  @Test
  void unchanged_text_is_not_read_again() {
    records.recover(() -> {});
    reserved(promises(3));
    reserved(promises(3));

    assertThat(questions).isEqualTo(3);
  }

  /// The text of a record takes much memory.
  @Test
  void text_of_an_invalid_object_is_forgotten() {
    records.recover(() -> {});
    reserved(promises(3));
    records.invalid(KEY);
    reserved(promises(3));

    assertThat(questions).isEqualTo(6);
  }

  @Test
  void changed_text_is_read() {
    records.recover(() -> {});
    members.add(pod(0));
    members.add(pod(1));
    reserved(promises(2));

    assertThat(reserved(promises(1)).keys()).containsExactly(pod(0));
  }

  @Test
  void victim_that_names_the_preemptor_is_kept_with_its_members() {
    members.add(pod(0));
    members.add(pod(1));

    assertThat(victimsAfterRestart(victims(2)).values())
        .containsExactly(new Victim(VICTIM, SortedKeys.of(members), "rule", 7));
  }

  @Test
  void few_members_that_are_gone_are_kept() {
    members.add(pod(4_000));

    assertThat(victimsAfterRestart(victims(5_000)).get(VICTIM).orElseThrow().members().size())
        .isEqualTo(GangRecords.GONE + 1);
  }

  @Test
  void victim_that_names_no_preemptor_is_kept_without_members() {
    notified = false;
    members.add(pod(0));

    assertThat(victimsAfterRestart(victims(2)).values())
        .containsExactly(new Victim(VICTIM, SortedKeys.empty(), "rule", 7));
  }

  @Test
  void victims_are_read_after_a_restart_only() {
    members.add(pod(0));
    SortedTable<GangId, Victim> known = victimsAfterRestart(victims(1));

    assertThat(victims("g1", victims(5_000))).isSameAs(known);
    assertThat(victims("g2", victims(5_000)).isEmpty()).isTrue();
  }
}
